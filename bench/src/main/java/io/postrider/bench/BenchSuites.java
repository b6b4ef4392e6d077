package io.postrider.bench;

import io.postrider.support.BenchProgram;
import java.io.PrintStream;

/** {@link BenchCommand} for the command line. */
public final class BenchSuites implements BenchProgram {
    @Override
    public int run(String[] args, PrintStream out, PrintStream err) {
        return BenchCommand.run(args, out, err);
    }
}

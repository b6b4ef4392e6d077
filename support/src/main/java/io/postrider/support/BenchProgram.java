package io.postrider.support;

import java.io.PrintStream;

/** The benchmarks as the command line sees them. Found by {@link java.util.ServiceLoader} if they are on the class path. */
public interface BenchProgram {
    /**
     * Runs a suite and returns the exit code.
     *
     * @param args the words after {@code bench} on the command line
     * @param out receives the report
     * @param err receives the progress
     */
    int run(String[] args, PrintStream out, PrintStream err);
}

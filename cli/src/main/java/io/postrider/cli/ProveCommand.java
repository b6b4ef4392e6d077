package io.postrider.cli;

import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The entry for the proofs in the list of commands, and their help. The script runs them, since they need the sources. */
@Command(
        name = "prove",
        header = "Run the tests of the guarantees (proofs) with the repetition counts of a release.",
        description = {
            "The proofs kill nodes and servers, freeze workers and run the protocols in every interleaving. A normal test run"
                    + " repeats each only a few times. Needs a checkout and Maven; all proofs together take hours.",
            "Prints one line per proof with its repetitions, its duration and its result. Maven's output is in target/prove.log."
        },
        footer = {
            "  postrider prove                           all proofs",
            "  postrider prove --list                    the proofs and their repetitions",
            "  postrider prove WorkerDeath Takeover      two of them",
            "  postrider prove WorkerDeath --seed 4711   with the random choices of a failed run"
        })
@SuppressWarnings("UnusedVariable") // the script reads them
final class ProveCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Parameters(arity = "0..*", paramLabel = "NAME", description = "The proofs to run (default: all).")
    private List<String> names = List.of();

    @Option(names = "--list", description = "Show the proofs and their repetitions, and exit.")
    private boolean list;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the random choices (default: random).")
    private @Nullable Long seed;

    @Option(names = "--json", description = "Print one JSON object per line.")
    private boolean json;

    ProveCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        terminal.say("postrider: the proofs need a checkout; use the script: ./postrider prove");
        return ExitCode.FAILURE;
    }
}

package io.postrider.cli;

import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Measures. Its options are read by itself; this is its place in the list of commands, and its help. */
@Command(
        name = "bench",
        header = "Measure the log, jobs or the way to the screen on this machine, and say which goals are met.",
        description =
                "On a PostgreSQL of its own, unless --database-url URL names a server on which it may make databases.",
        footer = {
            "  postrider bench log                     every scenario",
            "  postrider bench log --short             within a minute: to look at, not to quote",
            "  postrider bench log --only producers    one scenario",
            "  postrider bench jobs                    the same for jobs",
            "  postrider bench jobs --json             one object on standard output",
            "  postrider bench realtime                from commit to the screen beside Redis, and to Kafka"
        })
final class BenchCommand implements Runnable {
    @Parameters(arity = "0..*", paramLabel = "ARGUMENTS", description = "As in the examples.")
    private List<String> arguments = List.of();

    /** Whether it is meant: all but help goes past the parser of the other commands. */
    static boolean isMeant(String... args) {
        List<String> words = Arrays.asList(args);
        return !words.isEmpty() && words.get(0).equals("bench") && !words.contains("--help") && !words.contains("-h");
    }

    static int run(Terminal terminal, String... args) {
        return io.postrider.bench.BenchCommand.run(
                Arrays.copyOfRange(args, 1, args.length), terminal.out(), terminal.err());
    }

    @Override
    public void run() {
        throw new IllegalStateException("bench is run before the others: " + arguments);
    }
}

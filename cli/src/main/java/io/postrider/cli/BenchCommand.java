package io.postrider.cli;

import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.support.BenchProgram;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The entry for the benchmarks in the list of commands, and their help. The benchmarks parse their own options. */
@Command(
        name = "bench",
        header = "Measure the log, jobs, delivery to browsers or other outbox readers, and report which goals are met.",
        description =
                "Starts its own PostgreSQL, unless --database-url URL names a server on which it may create databases.",
        footer = {
            "  postrider bench log                     all scenarios",
            "  postrider bench log --short             about a minute; the results are too inexact to publish",
            "  postrider bench log --only producers    a single scenario",
            "  postrider bench jobs                    all scenarios for jobs",
            "  postrider bench jobs --json             print one JSON object",
            "  postrider bench realtime                commit to browser, compared with Redis; relay to Kafka",
            "  postrider bench alternatives            six ways to read an outbox: loss, delay, stalls"
        })
final class BenchCommand implements Runnable {
    @Parameters(
            arity = "0..*",
            paramLabel = "ARGUMENTS",
            description = "The suite and its options, as in the examples.")
    private List<String> arguments = List.of();

    /** Whether these arguments are for the benchmarks; everything except help bypasses the parser of the other commands. */
    static boolean isMeant(String... args) {
        List<String> words = Arrays.asList(args);
        return !words.isEmpty() && words.get(0).equals("bench") && !words.contains("--help") && !words.contains("-h");
    }

    static int run(Terminal terminal, String... args) {
        Optional<BenchProgram> program = ServiceLoader.load(BenchProgram.class).findFirst();
        if (program.isEmpty()) {
            terminal.say("postrider: the benchmarks are not on the class path; use the script: ./postrider bench");
            return ExitCode.FAILURE;
        }
        return program.get().run(Arrays.copyOfRange(args, 1, args.length), terminal.out(), terminal.err());
    }

    @Override
    public void run() {
        throw new IllegalStateException("bench must be started before the parser: " + arguments);
    }
}

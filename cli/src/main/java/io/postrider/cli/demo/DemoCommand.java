package io.postrider.cli.demo;

import io.postrider.cli.database.VerifyCommand;
import io.postrider.cli.terminal.CommonOptions;
import io.postrider.cli.terminal.Terminal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs the demo on its own PostgreSQL. */
@Command(
        name = "demo",
        header = "Run a live demo on its own PostgreSQL.",
        description = {
            "In the browser, at http://127.0.0.1:8080/: a live chat on the whole system, with buttons that cause failures and a"
                    + " counter of lost messages. API and gateway run in one process, the worker in another. With REDIS_HOST set,"
                    + " messages arrive through a Redis stream and leave through its pub/sub.",
            "In the terminal: four producers place orders on the topic orders, several per transaction, and roll some of them back."
                    + " Three listeners follow: ledger (exactly-once), mail (slow) and flaky (fails sometimes). Each order also"
                    + " enqueues jobs: parcels (exactly-once, some scheduled for later) and receipts (fail sometimes).",
            "Shows a live view on a terminal, otherwise one line per second. At the end it counts and verifies everything, and"
                    + " exits with 1 if an event was lost or duplicated."
        },
        footer = {
            "  postrider demo",
            "  postrider demo --port 9000",
            "  postrider demo --rate 1000",
            "  postrider demo --data /tmp/postrider-demo    keep the database for the next run",
            "  postrider demo --seconds 10                  stop after 10 seconds"
        })
public final class DemoCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "Port of the live chat; 0 picks a free port (default: 8080).")
    private int port = 8080;

    @Option(names = "--rate", paramLabel = "N", description = "Events per second, 1..5000 (default: 200).")
    private int rate = 200;

    @Option(names = "--seconds", paramLabel = "N", description = "Stop after N seconds (default: run until Ctrl-C).")
    private @Nullable Integer seconds;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Keep the database in this directory (default: delete it at the end).")
    private @Nullable Path data;

    public DemoCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        boolean dumb = terminal.environment().getOrDefault("TERM", "").equals("dumb");
        boolean verbose = spec.commandLine().getParseResult().hasMatchedOption(CommonOptions.VERBOSE);
        boolean live = terminal.ttys().out() && !dumb && !verbose;
        @Nullable Duration length = seconds == null ? null : Duration.ofSeconds(seconds);
        return new Demo(
                        new DemoOptions(rate, length, data, port, live),
                        terminal,
                        proof -> VerifyCommand.print(terminal, proof, false))
                .run();
    }
}

package io.postrider.cli;

import io.postrider.cli.demo.Demo;
import io.postrider.cli.demo.DemoOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Everything at work, on a database of its own. */
@Command(
        name = "demo",
        header = "See it all at work, on a PostgreSQL of its own.",
        description = {
            "In the browser, at http://127.0.0.1:8080/: a live chat on the whole system, with buttons that make trouble and a"
                    + " counter of what was lost. API and gateway are one process, the worker is another; with REDIS_HOST set,"
                    + " messages come in through a Redis stream and go out through its pub/sub.",
            "In the terminal: four producers place orders on the topic orders, several in a transaction, some of them rolled back. Three"
                    + " listeners follow: ledger (exactly once), mail (slow), flaky (fails now and then). An order that is"
                    + " placed or paid is also a job: parcels (exactly once, some at a later time) and receipts (fail now"
                    + " and then).",
            "On a terminal a live view, else a line a second. At the end everything is counted and proved; exits with 1 if"
                    + " anything was lost or came twice."
        },
        footer = {
            "  postrider demo",
            "  postrider demo --port 9000",
            "  postrider demo --rate 1000",
            "  postrider demo --data /tmp/postrider-demo    keeps the database for the next time",
            "  postrider demo --seconds 10                  ends by itself"
        })
final class DemoCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "Where the live chat is served; 0: anywhere (default: 8080).")
    private int port = 8080;

    @Option(names = "--rate", paramLabel = "N", description = "Events a second, 1..5000 (default: 200).")
    private int rate = 200;

    @Option(names = "--seconds", paramLabel = "N", description = "End after so many (default: with Ctrl-C).")
    private @Nullable Integer seconds;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Keep the database here (default: it goes with the demo).")
    private @Nullable Path data;

    DemoCommand(Terminal terminal) {
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

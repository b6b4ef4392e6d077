package io.postrider.cli.queues;

import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.Durations;
import io.postrider.cli.text.JsonLine;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets how long a silent worker keeps its jobs of a queue. */
@Command(
        name = "lease",
        header = "Set how long a silent worker keeps its jobs of a queue.",
        description =
                "A worker is silent if its process is stopped or cannot reach the database. A worker that is alive keeps"
                        + " its jobs however long they take.",
        footer = {"  postrider queues lease mail 30s", "  postrider queues lease mail default"})
public final class QueuesLeaseCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "QUEUE", description = "Name of the queue.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String queue;

    @Parameters(index = "1", paramLabel = "TIME", description = "3s to 1h, or default (10s).")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String lease;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    public QueuesLeaseCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        Duration time = lease.equals("default") ? null : Durations.parse("TIME", lease);
        database.with(postrider -> {
            postrider.queues().lease(queue, time);
            return true;
        });
        terminal.say("lease of " + queue + " is " + lease);
        if (json) {
            terminal.out()
                    .println(new JsonLine().text("name", queue).text("lease", time == null ? null : time.toString()));
        }
        return ExitCode.OK;
    }
}

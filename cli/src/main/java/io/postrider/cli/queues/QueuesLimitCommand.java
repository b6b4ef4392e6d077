package io.postrider.cli.queues;

import io.postrider.admin.Queues.Limits;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.Durations;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets the limits of a queue. */
@Command(
        name = "limit",
        header = "Set the limits of a queue, across all nodes.",
        description = "A limit that is not given is removed.",
        footer = {
            "  postrider queues limit mail --running 5",
            "  postrider queues limit accounts --per-key 1",
            "  postrider queues limit mail --rate 100 --period 1s",
            "  postrider queues limit mail"
        })
public final class QueuesLimitCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "QUEUE", description = "Name of the queue.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String queue;

    @Option(names = "--running", paramLabel = "N", description = "Maximum number of running jobs.")
    private @Nullable Integer running;

    @Option(
            names = "--per-key",
            paramLabel = "N",
            description = "Maximum number of running jobs per key; 1 runs them one at a time.")
    private @Nullable Integer perKey;

    @Option(names = "--rate", paramLabel = "N", description = "Maximum number of jobs started per period.")
    private @Nullable Integer rate;

    @Option(names = "--period", paramLabel = "TIME", description = "Period of the rate: 500ms, 1s, 5m, 2h, 1d.")
    private @Nullable String period;

    public QueuesLimitCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        Limits limits = new Limits(running, perKey, rate, period == null ? null : Durations.parse("--period", period));
        database.with(postrider -> {
            postrider.queues().limit(queue, limits);
            return true;
        });
        terminal.say("limited " + queue);
        return ExitCode.OK;
    }
}

package io.postrider.cli;

import io.postrider.work.Queues.Limits;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Say how much of a queue may run at once, on all nodes together. What is not given is not limited. */
@Command(
        name = "limit",
        header = "Say how much of a queue may run at once, on all nodes together. What is not given is not limited.",
        footer = {
            "  postrider queues limit mail --running 5",
            "  postrider queues limit accounts --per-key 1",
            "  postrider queues limit mail --rate 100 --period 1s",
            "  postrider queues limit mail"
        })
final class QueuesLimitCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "QUEUE", description = "Its name.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String queue;

    @Option(names = "--running", paramLabel = "N", description = "Jobs at once.")
    private @Nullable Integer running;

    @Option(names = "--per-key", paramLabel = "N", description = "Jobs of one key at once; 1 is one after the other.")
    private @Nullable Integer perKey;

    @Option(names = "--rate", paramLabel = "N", description = "Jobs begun in any period.")
    private @Nullable Integer rate;

    @Option(names = "--period", paramLabel = "TIME", description = "The period of the rate: 500ms, 1s, 5m, 2h, 1d.")
    private @Nullable String period;

    QueuesLimitCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        Limits limits = new Limits(running, perKey, rate, period == null ? null : Spans.parse("--period", period));
        database.with(postrider -> {
            postrider.queues().limit(queue, limits);
            return true;
        });
        terminal.say("limited " + queue);
        return Exit.OK;
    }
}

package io.postrider.cli;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.cli.text.Nearest;
import io.postrider.work.Queues;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Let paused queues go on. */
@Command(
        name = "resume",
        header = "Let paused queues go on.",
        footer = {"  postrider queues resume mail", "  postrider queues resume mail reports"})
final class QueuesResumeCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(arity = "1..*", paramLabel = "QUEUE", description = "Their names.")
    private List<String> queues = List.of();

    QueuesResumeCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        database.withJobs(postrider -> {
            List<String> known =
                    postrider.queues().list().stream().map(Queues.Status::name).toList();
            queues.stream().filter(name -> !known.contains(name)).findFirst().ifPresent(name -> {
                throw new PostriderException(Kind.NOT_FOUND, "no queue " + name + Nearest.hint(name, known));
            });
            queues.forEach(name -> postrider.queues().resume(name));
            return true;
        });
        terminal.say("resumed " + String.join(", ", queues));
        return Exit.OK;
    }
}

package io.postrider.cli;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.cli.text.Nearest;
import io.postrider.work.Queues;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** What commands have in common that do something to queues that are all there: one wrong name, and nothing is done. */
abstract class QueuesSteering implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(arity = "1..*", paramLabel = "QUEUE", description = "Their names.")
    private List<String> names = List.of();

    QueuesSteering(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    /** Does it to one. */
    abstract void steer(Queues queues, String name);

    /** What is said afterwards, before the names. */
    abstract String done();

    @Override
    public Integer call() {
        database.withJobs(postrider -> {
            Queues queues = postrider.queues();
            List<String> known = queues.list().stream().map(Queues.Status::name).toList();
            names.stream().filter(name -> !known.contains(name)).findFirst().ifPresent(name -> {
                throw new PostriderException(Kind.NOT_FOUND, "no queue " + name + Nearest.hint(name, known));
            });
            names.forEach(name -> steer(queues, name));
            return true;
        });
        terminal.say(done() + " " + String.join(", ", names));
        return Exit.OK;
    }
}

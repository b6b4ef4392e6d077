package io.postrider.cli.queues;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Queues;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.support.Suggestion;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Base of the commands that change queues. If one of the names is unknown, no queue is changed. */
abstract class QueuesActionCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(arity = "1..*", paramLabel = "QUEUE", description = "Names of the queues.")
    private List<String> names = List.of();

    QueuesActionCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    /** Changes one queue. */
    abstract void steer(Queues queues, String name);

    /** The past participle for the message, such as "paused". */
    abstract String done();

    @Override
    public Integer call() {
        database.withJobs(postrider -> {
            Queues queues = postrider.queues();
            List<String> known = queues.list().stream().map(Queues.Status::name).toList();
            names.stream().filter(name -> !known.contains(name)).findFirst().ifPresent(name -> {
                throw new PostriderException(Kind.NOT_FOUND, "no queue " + name + Suggestion.hint(name, known));
            });
            names.forEach(name -> steer(queues, name));
            return true;
        });
        terminal.say(done() + " " + String.join(", ", names));
        return ExitCode.OK;
    }
}

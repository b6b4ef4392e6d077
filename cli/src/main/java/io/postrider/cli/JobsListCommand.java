package io.postrider.cli;

import io.postrider.PostriderException;
import io.postrider.cli.text.Clean;
import io.postrider.cli.text.Ink;
import io.postrider.cli.text.Table;
import io.postrider.cli.text.Table.Cell;
import io.postrider.cli.text.Table.Column;
import io.postrider.work.Jobs;
import io.postrider.work.Jobs.State;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Show the latest jobs of a queue. */
@Command(
        name = "list",
        header = "Show the latest jobs of a queue.",
        footer = {
            "  postrider jobs list mail",
            "  postrider jobs list mail --state failed --limit 5",
            "  postrider jobs list mail --json | jq 'select(.attempt_count > 1) | .id'"
        })
final class JobsListCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "QUEUE", description = "Its name.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String queue;

    @Option(
            names = "--state",
            paramLabel = "STATE",
            description = "Only these: pending, in_progress, done, failed, cancelled.")
    private @Nullable String state;

    @Option(names = "--limit", paramLabel = "N", defaultValue = "20", description = "At most so many (default: 20).")
    private int limit;

    @Option(names = "--json", description = "An object a line.")
    private boolean json;

    JobsListCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        State wanted = state == null ? null : parse(state);
        List<Jobs.Status> jobs = database.withJobs(postrider -> postrider.jobs().list(queue, wanted, limit));
        if (json) {
            jobs.forEach(one -> terminal.out().println(JobLines.json(one)));
        } else if (jobs.isEmpty()) {
            terminal.say("no such jobs");
        } else {
            table(jobs).forEach(terminal.out()::println);
        }
        return Exit.OK;
    }

    private static State parse(String text) {
        try {
            return State.valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
        } catch (IllegalArgumentException e) {
            throw PostriderException.refused(
                    "--state must be pending, in_progress, done, failed or cancelled, was '" + text + "'");
        }
    }

    private List<String> table(List<Jobs.Status> jobs) {
        Ink ink = terminal.ink();
        Table table = new Table(
                Column.left("JOB"),
                Column.left("TYPE"),
                Column.left("STATE"),
                Column.right("ATTEMPT"),
                Column.left("CREATED"),
                Column.left("WHAT"));
        jobs.forEach(one -> table.row(
                Cell.of(one.id().toString(), ink::bold),
                Cell.of(Clean.line(one.type())),
                Cell.of(one.state().name(), colour(one.state(), ink)),
                Cell.of(one.attempts()),
                Cell.of(Ago.text(one.createdAt())),
                Cell.of(JobLines.what(one), ink::dim)));
        return table.lines(ink);
    }

    private static UnaryOperator<String> colour(State state, Ink ink) {
        return switch (state) {
            case DONE -> ink::green;
            case FAILED -> ink::red;
            case IN_PROGRESS -> ink::yellow;
            default -> ink::dim;
        };
    }
}

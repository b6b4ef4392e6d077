package io.postrider.cli.jobs;

import io.postrider.PostriderException;
import io.postrider.admin.Jobs;
import io.postrider.admin.Jobs.State;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.ListOutput;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.AnsiColours;
import io.postrider.cli.text.PrintableText;
import io.postrider.cli.text.RelativeTime;
import io.postrider.cli.text.Table;
import io.postrider.cli.text.Table.Cell;
import io.postrider.cli.text.Table.Column;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists the latest jobs of a queue. */
@Command(
        name = "list",
        header = "List the latest jobs of a queue.",
        footer = {
            "  postrider jobs list mail",
            "  postrider jobs list mail --state failed --limit 5",
            "  postrider jobs list mail --json | jq 'select(.attempt_count > 1) | .id'"
        })
public final class JobsListCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "QUEUE", description = "Name of the queue.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String queue;

    @Option(
            names = "--state",
            paramLabel = "STATE",
            description = "Show only jobs in this state: pending, in_progress, done, failed or cancelled.")
    private @Nullable String state;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "20",
            description = "Show at most N jobs (default: 20).")
    private int limit;

    @Mixin
    private final ListOutput output;

    public JobsListCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
        this.output = new ListOutput(terminal);
    }

    @Override
    public Integer call() {
        State wanted = state == null ? null : parse(state);
        List<Jobs.Status> jobs = database.withJobs(postrider -> postrider.jobs().list(queue, wanted, limit));
        output.print(jobs, "no such jobs", JobText::json, this::table);
        return ExitCode.OK;
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
        AnsiColours colours = terminal.colours();
        Table table = new Table(
                Column.left("JOB"),
                Column.left("TYPE"),
                Column.left("STATE"),
                Column.right("ATTEMPT"),
                Column.left("CREATED"),
                Column.left("DETAIL"));
        jobs.forEach(one -> table.row(
                Cell.of(one.id().toString(), colours::bold),
                Cell.of(PrintableText.line(one.type())),
                Cell.of(one.state().name(), colour(one.state(), colours)),
                Cell.of(one.attempts()),
                Cell.of(RelativeTime.text(one.createdAt())),
                Cell.of(JobText.what(one), colours::dim)));
        return table.lines(colours);
    }

    private static UnaryOperator<String> colour(State state, AnsiColours colours) {
        return switch (state) {
            case DONE -> colours::green;
            case FAILED -> colours::red;
            case IN_PROGRESS -> colours::yellow;
            default -> colours::dim;
        };
    }
}

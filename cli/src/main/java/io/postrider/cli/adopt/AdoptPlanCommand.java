package io.postrider.cli.adopt;

import io.postrider.admin.Adoptions.Plan;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.Table;
import io.postrider.cli.text.Table.Cell;
import io.postrider.cli.text.Table.Column;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows what is recognised in a table. */
@Command(
        name = "plan",
        header = "Show what is recognised in a table, and every statement with its lock.",
        description = "Changes nothing.",
        footer = {
            "  postrider adopt plan outbox",
            "  postrider adopt plan app.messages --map body=payload --map kind=type --topic messages"
        })
public final class AdoptPlanCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "TABLE", description = "The table: schema.table, or a table in public.")
    @SuppressWarnings("NullAway.Init") // required
    private String table;

    @Mixin
    private final MappingOptions mapping = new MappingOptions();

    @Option(names = "--dry-run", description = "As without: a plan changes nothing.")
    @SuppressWarnings("UnusedVariable") // read by picocli
    private boolean dryRun;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    public AdoptPlanCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        Plan plan = database.with(postrider -> postrider.adoptions().plan(mapping.of(table)));
        if (json) {
            terminal.out().println(json(plan));
        } else {
            print(plan);
        }
        return ExitCode.OK;
    }

    private void print(Plan plan) {
        var out = terminal.out();
        out.println(plan.source() + " has the shape " + shape(plan) + ", target "
                + (plan.target() == null ? "not chosen (--topic or --queue)" : plan.target()));
        Table columns = new Table(Column.left("COLUMN"), Column.left("FIELD"), Column.left("TYPE"));
        plan.columns().forEach(one -> columns.row(Cell.of(one.name()), Cell.of(one.field()), Cell.of(one.type())));
        columns.lines(terminal.colours()).forEach(out::println);
        if (plan.type() != null) {
            out.println("type: " + plan.type() + " for all rows");
        }
        if (!plan.ignored().isEmpty()) {
            out.println("not used: " + String.join(", ", plan.ignored()));
        }
        out.println("rows to take over: " + Table.grouped(plan.rows()) + ", unfinished "
                + Table.grouped(plan.unfinished()) + ", cannot be " + Table.grouped(plan.bad())
                + (plan.badExample() == null ? "" : " (" + plan.badExample() + ")"));
        out.println();
        AdoptionText.statements(plan.statements()).forEach(out::println);
    }

    private static String shape(Plan plan) {
        return plan.shape().name().toLowerCase(Locale.ROOT);
    }

    private static JsonLine json(Plan plan) {
        return new JsonLine()
                .text("table", plan.source())
                .text("shape", shape(plan))
                .text("target", plan.target())
                .text("type", plan.type())
                .raw(
                        "columns",
                        plan.columns().stream()
                                .map(one -> new JsonLine()
                                        .text("column", one.name())
                                        .text("field", one.field())
                                        .text("type", one.type())
                                        .toString())
                                .collect(Collectors.joining(",", "[", "]")))
                .texts("ignored", plan.ignored())
                .number("rows", plan.rows())
                .number("unfinished", plan.unfinished())
                .number("bad", plan.bad())
                .text("bad_example", plan.badExample())
                .raw("statements", AdoptionText.json(plan.statements()));
    }
}

package io.postrider.cli.topics;

import io.postrider.admin.Topics.Requirement;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.ListOutput;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.Table;
import io.postrider.cli.text.Table.Cell;
import io.postrider.cli.text.Table.Column;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists the topics that require a field. */
@Command(
        name = "requirements",
        header = "List the topics whose events must have a project_id or a user_id.",
        footer = {"  postrider topics requirements", "  postrider topics requirements --json"})
public final class TopicsRequirementsCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Mixin
    private final ListOutput output;

    public TopicsRequirementsCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
        this.output = new ListOutput(terminal);
    }

    @Override
    public Integer call() {
        List<Requirement> all = database.with(postrider -> postrider.topics().requirements());
        output.print(all, "no topic requires a field", TopicsRequirementsCommand::json, this::table);
        return ExitCode.OK;
    }

    private List<String> table(List<Requirement> all) {
        Table table = new Table(Column.left("TOPIC"), Column.left("REQUIRES"));
        all.forEach(one -> table.row(Cell.of(one.topic(), terminal.colours()::bold), Cell.of(fields(one))));
        return table.lines(terminal.colours());
    }

    static String fields(Requirement one) {
        if (one.projectId() && one.userId()) {
            return "project_id and user_id";
        }
        return one.projectId() ? "project_id" : one.userId() ? "user_id" : "nothing";
    }

    static JsonLine json(Requirement one) {
        return new JsonLine()
                .text("topic", one.topic())
                .bool("project_id", one.projectId())
                .bool("user_id", one.userId());
    }
}

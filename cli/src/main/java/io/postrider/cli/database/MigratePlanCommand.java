package io.postrider.cli.database;

import io.postrider.Postrider;
import io.postrider.admin.Migrations;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.JsonLine;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints the statements of a migration with their locks. */
@Command(
        name = "plan",
        header = "Print the statements that migrate would run, with the locks that each takes.",
        description = "Changes nothing and takes no lock. Of a function, only the first line is printed.",
        footer = {"  postrider migrate plan", "  postrider migrate plan --json | jq 'select(.locks != [])'"})
public final class MigratePlanCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Option(names = "--json", description = "Print one JSON object per line.")
    private boolean json;

    public MigratePlanCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        try (Postrider postrider = Postrider.on(database.dataSource(), database.options())) {
            List<Migrations.Statement> statements = postrider.migrations().statements();
            if (statements.isEmpty()) {
                terminal.say("schema " + database.options().schema() + " is up to date: nothing to run");
            }
            String migration = "";
            for (Migrations.Statement one : statements) {
                if (json) {
                    terminal.out().println(line(one));
                } else {
                    print(one, !one.migration().equals(migration));
                }
                migration = one.migration();
            }
        }
        return ExitCode.OK;
    }

    private static JsonLine line(Migrations.Statement one) {
        return new JsonLine()
                .text("migration", one.migration())
                .text("statement", one.text())
                .texts("locks", one.locks());
    }

    /** The output is SQL: names and locks are comments. */
    private void print(Migrations.Statement one, boolean isFirst) {
        if (isFirst) {
            terminal.out().println("-- " + one.migration());
        }
        terminal.out().println(one.text() + ";");
        terminal.out()
                .println("-- locks: " + (one.locks().isEmpty() ? "no table" : String.join(", ", one.locks())) + "\n");
    }
}

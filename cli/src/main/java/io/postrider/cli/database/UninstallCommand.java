package io.postrider.cli.database;

import io.postrider.Postrider;
import io.postrider.admin.Migrations;
import io.postrider.cli.terminal.Confirmation;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.JsonLine;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Removes Postrider from a database. */
@Command(
        name = "uninstall",
        header = "Remove the schema with all events and jobs, and the reader role.",
        description = "Refused while a node runs. Asks for confirmation; without a terminal, pass --yes.",
        footer = {"  postrider uninstall --dry-run", "  postrider uninstall --yes"})
public final class UninstallCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Option(names = "--dry-run", description = "Show what would be removed, and change nothing.")
    private boolean dryRun;

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask for confirmation.")
    private boolean yes;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    public UninstallCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() throws IOException {
        try (Postrider postrider = Postrider.on(database.dataSource(), database.options())) {
            Migrations.Uninstall plan = postrider.migrations().uninstallPlan();
            if (!dryRun && !yes && !Confirmation.isGiven(terminal, "permanently remove " + named(plan))) {
                terminal.say("nothing was removed");
                return ExitCode.FAILURE;
            }
            report(dryRun ? plan : postrider.migrations().uninstall());
        }
        return ExitCode.OK;
    }

    private static String named(Migrations.Uninstall plan) {
        return "schema " + plan.schema() + " with all events and jobs"
                + (plan.role() == null ? "" : ", role " + plan.role())
                + (plan.dependents().isEmpty()
                        ? ""
                        : ", and what depends on it: " + String.join(", ", plan.dependents()));
    }

    private void report(Migrations.Uninstall done) {
        terminal.say((dryRun ? "would remove " : "removed ") + named(done));
        if (done.roleKept() != null) {
            terminal.say("role " + done.role() + " was not dropped: " + done.roleKept());
        }
        if (json) {
            terminal.out()
                    .println(new JsonLine()
                            .text("schema", done.schema())
                            .text("role", done.role())
                            .texts("dependents", done.dependents())
                            .text("role_kept", done.roleKept())
                            .bool("dry_run", dryRun));
        }
    }
}

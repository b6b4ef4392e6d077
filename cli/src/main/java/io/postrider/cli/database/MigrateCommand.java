package io.postrider.cli.database;

import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.admin.Migrations;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.JsonLine;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Creates or updates the schema. */
@Command(
        name = "migrate",
        header = "Create or update the schema.",
        description =
                "Runs in one transaction under a lock: several processes may run it at once, and a failure changes nothing.",
        footer = {
            "  postrider migrate",
            "  postrider migrate --dry-run",
            "  postrider migrate plan",
            "  postrider migrate --schema outbox --payload-cap 1048576"
        })
public final class MigrateCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Option(
            names = "--payload-cap",
            paramLabel = "BYTES",
            description = "Maximum size of a payload (default: keep the current limit; 262144 for a new schema).")
    private @Nullable Integer payloadCap;

    @Option(
            names = "--segment-size",
            paramLabel = "IDS",
            description = "Number of event ids in a segment (default: 4000000).")
    private @Nullable Long segmentSize;

    @Option(names = "--dry-run", description = "Show what would be done, and change nothing.")
    private boolean dryRun;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    public MigrateCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        Options options =
                segmentSize == null ? database.options() : database.options().withSegmentSize(segmentSize);
        try (Postrider postrider = Postrider.on(database.dataSource(), options)) {
            Migrations migrations = postrider.migrations();
            Migrations.Plan plan = migrations.plan();
            report(
                    migrations,
                    dryRun ? new Migrations.Done(plan.missing(), false) : migrations.migrate(cap(plan)),
                    dryRun ? "would apply" : "applied");
        }
        return ExitCode.OK;
    }

    /** Keeps the current cap unless the command names another. */
    private int cap(Migrations.Plan plan) {
        Options defaults = Options.defaults();
        Integer cap = payloadCap == null ? plan.payloadCap() : payloadCap;
        return cap == null
                ? defaults.payloadCap()
                : defaults.withPayloadCap(cap).payloadCap();
    }

    private void report(Migrations migrations, Migrations.Done done, String verb) {
        String schema = database.options().schema();
        int latest = migrations.known().size();
        if (json) {
            terminal.out()
                    .println(new JsonLine()
                            .text("schema", schema)
                            .number("version", latest)
                            .numbers(dryRun ? "missing" : "applied", done.applied())
                            .bool("functions_replaced", done.functionsReplaced())
                            .bool("dry_run", dryRun));
            return;
        }
        if (done.isNothing()) {
            terminal.say("schema " + schema + " is up to date, version " + latest);
        } else if (done.applied().isEmpty()) {
            terminal.say("schema " + schema + ": functions and views replaced");
        } else {
            terminal.say("schema " + schema + ": " + verb + " " + named(migrations, done.applied()));
        }
    }

    private static String named(Migrations migrations, List<Integer> versions) {
        return String.join(
                ", ",
                versions.stream()
                        .map(version -> migrations.known().get(version - 1))
                        .toList());
    }
}

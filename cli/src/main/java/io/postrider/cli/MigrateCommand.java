package io.postrider.cli;

import io.postrider.Options;
import io.postrider.cli.text.JsonLine;
import io.postrider.db.Bind;
import io.postrider.db.Database;
import io.postrider.db.Session;
import io.postrider.db.Sql;
import io.postrider.schema.DatabaseCheck;
import io.postrider.schema.Migrator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Makes the schema, or brings it up to date. */
@Command(
        name = "migrate",
        header = "Make the schema, or bring it up to date.",
        description = "All in one transaction, under a lock: many may try at once, and a failure leaves nothing.",
        footer = {
            "  postrider migrate",
            "  postrider migrate --dry-run",
            "  postrider migrate --schema outbox --payload-cap 1048576"
        })
final class MigrateCommand implements Callable<Integer> {
    private static final Sql PAYLOAD_CAP = Sql.file("schema/payload_cap");

    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Option(
            names = "--payload-cap",
            paramLabel = "BYTES",
            description = "The longest payload (default: what the table has, 262144 in a new one).")
    private @Nullable Integer payloadCap;

    @Option(names = "--segment-size", paramLabel = "EVENTS", description = "Events in a segment (default: 4000000).")
    private @Nullable Long segmentSize;

    @Option(names = "--dry-run", description = "Only say what would be done.")
    private boolean dryRun;

    @Option(names = "--json", description = "One object on standard output.")
    private boolean json;

    MigrateCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        Database db = database.database();
        int latest = Migrator.MIGRATIONS.size();
        Before before = db.autocommit(session -> {
            DatabaseCheck.requireServer(session, db.schema());
            return before(session);
        });
        if (dryRun) {
            List<Integer> missing =
                    IntStream.rangeClosed(before.version() + 1, latest).boxed().toList();
            report(new Migrator.Done(missing, false), "would apply");
            return Exit.OK;
        }
        Options options = chosen(before);
        report(new Migrator(db).migrate(options.segmentSize(), options.payloadCap(), true), "applied");
        return Exit.OK;
    }

    /** What is there before: the cap is kept unless another is asked for. */
    private static Before before(Session session) {
        Optional<Integer> version = Migrator.version(session);
        if (version.filter(there -> there > Migrator.MIGRATIONS.size()).isPresent()) {
            Migrator.requireCurrent(session); // a dry run too must say that the schema is newer than we are
        }
        Optional<Long> cap = version.flatMap(there -> session.one(PAYLOAD_CAP, Bind::nothing, row -> row.int8("cap")));
        return new Before(
                version.orElse(0),
                cap.map(Long::intValue).orElse(Options.defaults().payloadCap()));
    }

    private Options chosen(Before before) {
        Options options = Options.defaults().withPayloadCap(payloadCap == null ? before.payloadCap() : payloadCap);
        return segmentSize == null ? options : options.withSegmentSize(segmentSize);
    }

    private void report(Migrator.Done done, String verb) {
        String schema = database.schema().text();
        if (json) {
            terminal.out()
                    .println(new JsonLine()
                            .text("schema", schema)
                            .number("version", Migrator.MIGRATIONS.size())
                            .numbers(dryRun ? "missing" : "applied", done.applied())
                            .bool("functions_replaced", done.functionsReplaced())
                            .bool("dry_run", dryRun));
            return;
        }
        if (done.isNothing()) {
            terminal.say("schema " + schema + " is up to date, version " + Migrator.MIGRATIONS.size());
        } else if (done.applied().isEmpty()) {
            terminal.say("schema " + schema + ": functions and views replaced");
        } else {
            terminal.say("schema " + schema + ": " + verb + " " + named(done.applied()));
        }
    }

    private static String named(List<Integer> versions) {
        return String.join(
                ", ",
                versions.stream()
                        .map(version -> Migrator.MIGRATIONS.get(version - 1))
                        .toList());
    }

    private record Before(int version, int payloadCap) {}
}

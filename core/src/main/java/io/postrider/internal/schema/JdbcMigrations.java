package io.postrider.internal.schema;

import io.postrider.admin.Migrations;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Session;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Installs and updates the schema of a database, for operators. Thread-safe. */
public final class JdbcMigrations implements Migrations {
    private final Database database;
    private final long segmentSize;
    private final int payloadCap;

    /** @param payloadCap {@link #migrate()} raises a lower payload cap to this */
    public JdbcMigrations(Database database, long segmentSize, int payloadCap) {
        this.database = database;
        this.segmentSize = segmentSize;
        this.payloadCap = payloadCap;
    }

    @Override
    public List<String> known() {
        return Migrator.MIGRATIONS;
    }

    @Override
    public Plan plan() {
        return database.autocommit(session -> {
            DatabaseCheck.requireServer(session, database.schema());
            return plan(session);
        });
    }

    private static Plan plan(Session session) {
        int latest = Migrator.MIGRATIONS.size();
        Optional<Integer> version = Migrator.version(session);
        if (version.filter(there -> there > latest).isPresent()) {
            Migrator.requireCurrent(session); // refuses a newer schema, with what to do
        }
        int there = version.orElse(0);
        return new Plan(
                there,
                IntStream.rangeClosed(there + 1, latest).boxed().toList(),
                version.flatMap(installed -> Migrator.payloadCap(session)).orElse(null));
    }

    @Override
    public List<Statement> statements() {
        return database.autocommit(session -> {
            DatabaseCheck.requireServer(session, database.schema());
            return Migrator.missing(session).stream()
                    .map(statement -> new Statement(
                            statement.migration(),
                            database.schema().applyTo(statement.text()),
                            statement.locks().stream()
                                    .map(database.schema()::applyTo)
                                    .toList()))
                    .toList();
        });
    }

    @Override
    public Uninstall uninstallPlan() {
        return new Uninstaller(database).plan();
    }

    @Override
    public Uninstall uninstall() {
        return new Uninstaller(database).run();
    }

    @Override
    public Done migrate() {
        return new Migrator(database).migrate(segmentSize, payloadCap, false);
    }

    @Override
    public Done migrate(int newPayloadCap) {
        return new Migrator(database).migrate(segmentSize, newPayloadCap, true);
    }

    @Override
    public void requireUsable() {
        database.autocommit(session -> {
            DatabaseCheck.requireServer(session, database.schema());
            Migrator.requireCurrent(session);
            return true;
        });
    }

    @Override
    public void requireCurrent() {
        database.autocommit(session -> {
            Migrator.requireCurrent(session);
            return true;
        });
    }

    @Override
    public @Nullable Integer payloadCap() {
        return database.autocommit(Migrator::payloadCap).orElse(null);
    }
}

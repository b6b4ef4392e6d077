package io.postrider.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Background;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.Psql;
import io.postrider.admin.Migrations;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.SchemaName;
import io.postrider.internal.db.Sql;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What can be in the way of a migration: weak locks of roles without rights, and views of others. */
@PostgresTest
@Tag("security")
class HinderedMigrationTest {
    /** The lock that a refused nextval() takes stays until the transaction ends. */
    private static final String HOLD_VIEW =
            "do $$ begin perform nextval(%s::regclass); exception when others then null; end $$";

    /** It waited without limit, and every statement on the view queued behind it. */
    @Test
    void a_weak_lock_of_a_role_without_rights_makes_an_upgrade_fail_by_name_and_blocks_no_other(TestDatabase database)
            throws Exception {
        String role = "stranger_" + database.name();
        migrator(database, Duration.ofMillis(100)).migrate(1_000, 262_144, true);
        try (Psql psql = new Psql(database)) {
            long view = psql.number("select 'postrider.jobs'::regclass::oid::int8");
            psql.execute("create role " + role)
                    .execute("update postrider.migration set digest = 'of an older release' where version = 0");
            try (Psql stranger = new Psql(database).execute("set role " + role)) {
                stranger.begin().execute(HOLD_VIEW.formatted(view));
                CompletableFuture<Migrations.Done> upgrade = Background.get(
                        () -> migrator(database, Duration.ofMillis(100)).migrate(1_000, 262_144, false));
                assertThatThrownBy(() -> upgrade.get(30, TimeUnit.SECONDS))
                        .cause()
                        .satisfies(
                                e -> assertThat(((PostriderException) e).kind()).isEqualTo(Kind.CONFLICT))
                        .hasMessageContainingAll("pid=" + stranger.pid(), "jobs", "pg_terminate_backend");
                assertThat(psql.number("select count(*) from postrider.jobs")).isZero();

                CompletableFuture<Migrations.Done> patient = Background.get(
                        () -> migrator(database, Duration.ofSeconds(60)).migrate(1_000, 262_144, false));
                psql.execute("set statement_timeout = '10s'");
                for (int i = 0; i < 3; i++) {
                    assertThat(psql.number("select count(*) from postrider.jobs"))
                            .isZero();
                }
                stranger.rollback();
                assertThat(patient.get(60, TimeUnit.SECONDS).functionsReplaced())
                        .isTrue();
            }
            psql.execute("drop role " + role);
        }
    }

    @Test
    void what_depends_on_an_object_that_a_migration_must_change_is_named(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            for (int version = 1; version <= 9; version++) {
                String name = Migrator.MIGRATIONS.get(version - 1);
                psql.execute(Sql.resource("schema/" + name + ".sql"))
                        .execute("insert into postrider.migration (version, name, digest) values (" + version + ", '"
                                + name + "', '')");
            }
            psql.execute("create function postrider.find_job(uuid) returns int language sql as 'select 1'")
                    .execute("create view mine as select postrider.find_job(null) as job");
            assertThatThrownBy(() -> migrator(database, Duration.ofSeconds(1)).migrate(1_000, 262_144, true))
                    .satisfies(e -> assertThat(((PostriderException) e).kind()).isEqualTo(Kind.CONFLICT))
                    .hasMessageContainingAll("mine depends on function postrider.find_job(uuid)", "Drop");
            assertThat(psql.number("select max(version) from postrider.migration"))
                    .isEqualTo(9);
            psql.execute("drop view mine");
            migrator(database, Duration.ofSeconds(1)).migrate(1_000, 262_144, true);
        }
    }

    private static Migrator migrator(TestDatabase database, Duration patience) {
        return new Migrator(
                new Database(database.dataSource(), SchemaName.of("postrider")),
                new MigrationLock(MigrationLock.PATIENCE),
                new MigrationRetries(patience));
    }
}

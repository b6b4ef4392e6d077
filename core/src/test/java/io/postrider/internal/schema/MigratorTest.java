package io.postrider.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Background;
import io.postrider.Event;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.Psql;
import io.postrider.admin.Migrations;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.SchemaName;
import io.postrider.internal.db.Sql;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

@PostgresTest
@Tag("security")
class MigratorTest {
    private static final String HOLD_FIRST_LOCK =
            "select pg_advisory_lock(hashtext('postrider migrate'), hashtext('postrider'))";
    private static final Path GOLDEN = Path.of("src/test/resources/schema.golden.txt");

    // ── what it does ────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_new_database_is_migrated_and_a_second_run_changes_nothing(TestDatabase database) {
        Migrator migrator = new Migrator(door(database));
        assertThat(migrator.migrate(1_000, 262_144, true))
                .isEqualTo(new Migrations.Done(
                        IntStream.rangeClosed(1, Migrator.MIGRATIONS.size())
                                .boxed()
                                .toList(),
                        true));
        assertThat(migrator.migrate(1_000, 262_144, true).isNothing()).isTrue();
        try (Psql psql = new Psql(database)) {
            assertThat(psql.texts("select version || ' ' || name from postrider.migration order by version"))
                    .containsExactly(
                            "0 functions and views",
                            "1 V001__log",
                            "2 V002__jobs",
                            "3 V003__relays",
                            "4 V004__event_log",
                            "5 V005__domains",
                            "6 V006__listener_names",
                            "7 V007__rights",
                            "8 V008__bad_rows",
                            "9 V009__progress_checks",
                            "10 V010__signatures",
                            "11 V011__held_jobs",
                            "12 V012__claim_times",
                            "13 V013__adoption",
                            "14 V014__shadow",
                            "15 V015__error_codes",
                            "16 V016__filters_and_leases",
                            "17 V017__inserted_rows");
            psql.emit("orders", "a").passAll();
            assertThat(psql.log("orders")).containsExactly("a");
        }
    }

    @Test
    void eight_concurrent_migrations_apply_once(TestDatabase database) {
        List<CompletableFuture<Migrations.Done>> all = IntStream.range(0, 8)
                .mapToObj(i -> Background.get(() -> new Migrator(door(database)).migrate(1_000, 262_144, true)))
                .toList();
        assertThat(all.stream().map(CompletableFuture::join).filter(done -> !done.isNothing()))
                .hasSize(1);
        try (Psql psql = new Psql(database)) {
            assertThat(psql.number("select count(*) from postrider.migration"))
                    .isEqualTo(Migrator.MIGRATIONS.size() + 1);
            assertThat(psql.number("select count(*) from postrider.segment where family = 'log'"))
                    .isEqualTo(3);
        }
    }

    @Test
    void eight_concurrent_upgrades_apply_once(TestDatabase database) {
        new Migrator(door(database)).migrate(1_000, 262_144, true);
        try (Psql psql = new Psql(database)) {
            psql.execute("update postrider.migration set digest = 'of an older release' where version = 0");
        }
        List<CompletableFuture<Migrations.Done>> all = IntStream.range(0, 8)
                .mapToObj(i -> Background.get(() -> new Migrator(door(database)).migrate(1_000, 262_144, true)))
                .toList();
        assertThat(all.stream().map(CompletableFuture::join).filter(done -> !done.isNothing()))
                .containsExactly(new Migrations.Done(List.of(), true));
    }

    /** Any role that may connect can hold the advisory lock of the first migration. */
    @Test
    void a_lock_of_a_role_without_rights_blocks_neither_a_start_nor_an_upgrade(TestDatabase database) throws Exception {
        Migrator migrator = new Migrator(door(database));
        migrator.migrate(1_000, 262_144, true);
        try (Psql holder = new Psql(database);
                Psql psql = new Psql(database)) {
            holder.execute(HOLD_FIRST_LOCK);
            assertThat(Background.get(() -> migrator.migrate(1_000, 262_144, false))
                            .get(20, TimeUnit.SECONDS)
                            .isNothing())
                    .isTrue();
            psql.execute("update postrider.migration set digest = 'of an older release' where version = 0");
            assertThat(Background.get(() -> migrator.migrate(1_000, 262_144, false))
                            .get(20, TimeUnit.SECONDS)
                            .functionsReplaced())
                    .isTrue();
        }
    }

    @Test
    void a_start_does_not_wait_for_a_migration_and_an_upgrade_does(TestDatabase database) throws Exception {
        Migrator migrator = impatient(database);
        migrator.migrate(1_000, 262_144, true);
        try (Psql other = new Psql(database);
                Psql psql = new Psql(database)) {
            other.begin().execute("lock table postrider.migration in share row exclusive mode");
            assertThat(Background.get(() -> migrator.migrate(1_000, 262_144, false))
                            .get(20, TimeUnit.SECONDS)
                            .isNothing())
                    .isTrue();
            other.execute("update postrider.migration set digest = 'of an older release' where version = 0");
            other.commit().begin().execute("lock table postrider.migration in share row exclusive mode");
            CompletableFuture<Migrations.Done> upgrade = Background.get(() -> migrator.migrate(1_000, 262_144, false));
            Await.until(
                    "the upgrade waits for the lock",
                    () -> psql.number("select count(*) from pg_locks where not granted"
                                    + " and relation = 'postrider.migration'::regclass")
                            == 1);
            other.commit();
            assertThat(upgrade.get(60, TimeUnit.SECONDS).functionsReplaced()).isTrue();
        }
    }

    @Test
    void a_start_does_not_wait_for_a_dump_that_blocks_the_creation_of_segments(TestDatabase database) throws Exception {
        Migrator migrator = impatient(database);
        migrator.migrate(1_000, 262_144, true);
        try (Psql dump = new Psql(database).begin()) {
            dump.number("select count(*) from postrider.event_beyond");
            dump.text("select setval('postrider.event_ids', 13000)::text"); // more segments are due now
            assertThat(Background.get(() -> migrator.migrate(1_000, 262_144, false))
                            .get(20, TimeUnit.SECONDS)
                            .isNothing())
                    .isTrue();
        }
    }

    @Test
    void the_first_migration_names_the_session_that_holds_its_lock(TestDatabase database) throws Exception {
        Migrator migrator = impatient(database);
        try (Psql holder = new Psql(database)) {
            holder.execute("set application_name = 'in-the-way'").execute(HOLD_FIRST_LOCK);
            CompletableFuture<Migrations.Done> first = Background.get(() -> migrator.migrate(1_000, 262_144, true));
            assertThatThrownBy(() -> first.get(20, TimeUnit.SECONDS))
                    .cause()
                    .satisfies(is(Kind.CONFLICT))
                    .hasMessageContainingAll(
                            "pid=" + holder.number("select pg_backend_pid()"),
                            "role=" + holder.text("select current_user::text"),
                            "application=in-the-way",
                            "pg_terminate_backend");
            holder.execute("select pg_advisory_unlock_all()");
            assertThat(migrator.migrate(1_000, 262_144, true).applied()).hasSize(Migrator.MIGRATIONS.size());
        }
    }

    @Test
    void functions_and_views_are_replaced_when_their_text_differs_and_only_then(TestDatabase database) {
        Migrator migrator = new Migrator(door(database));
        migrator.migrate(1_000, 262_144, true);
        try (Psql psql = new Psql(database)) {
            psql.execute(
                    "create or replace function postrider.tail_position(of_topic text) returns bigint language sql stable"
                            + " as 'select 42::bigint'");
            assertThat(migrator.migrate(1_000, 262_144, true).functionsReplaced())
                    .isFalse();
            assertThat(psql.number("select postrider.tail_position('x')")).isEqualTo(42);
            psql.execute("update postrider.migration set digest = 'of an older release' where version = 0");
            assertThat(migrator.migrate(1_000, 262_144, true)).isEqualTo(new Migrations.Done(List.of(), true));
            assertThat(psql.number("select postrider.tail_position('x')")).isZero();
            assertThat(migrator.migrate(1_000, 262_144, true).isNothing()).isTrue();
        }
    }

    @Test
    void a_migration_changes_the_payload_cap_and_keeps_existing_payloads(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            Postrider.on(database.dataSource()).migrate();
            psql.execute("select postrider.emit('orders', 'large', to_jsonb(repeat('x', 5000)))");
            Postrider.on(database.dataSource(), Options.defaults().withPayloadCap(1_000))
                    .migrate();
            psql.execute("select postrider.emit('orders', 'still', to_jsonb(repeat('x', 5000)))");
            new Migrator(door(database)).migrate(4_000_000, 1_000, true);
            assertThat(sqlState(psql, "select postrider.emit('orders', 'over', to_jsonb(repeat('x', 999)))"))
                    .isEqualTo("23514");
            psql.execute("select postrider.emit('orders', 'full', to_jsonb(repeat('x', 998)))");
            psql.text("select postrider.make_segments(1000, 1000)::text");
            psql.execute("select setval('postrider.event_ids', 4000000)");
            assertThat(sqlState(psql, "select postrider.emit('orders', 'over', to_jsonb(repeat('x', 999)))"))
                    .as("in another segment")
                    .isEqualTo("23514");
            Postrider.on(database.dataSource(), Options.defaults().withPayloadCap(1 << 20))
                    .migrate();
            psql.execute("select postrider.emit('orders', 'larger', to_jsonb(repeat('x', 500000)))");
            psql.passAll();
            assertThat(psql.log("orders")).containsExactly("large", "still", "full", "larger");
        }
    }

    @Test
    void the_upgrade_from_version_6_adds_the_project_to_unique_keys_and_revokes_rights(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            for (int version = 1; version <= 6; version++) {
                String name = Migrator.MIGRATIONS.get(version - 1);
                psql.execute(Sql.resource("schema/" + name + ".sql"))
                        .execute("insert into postrider.migration (version, name, digest) values (" + version + ", '"
                                + name + "', '')");
            }
            String role = "producer_" + database.name();
            psql.execute("create role " + role)
                    .execute("grant select, insert, update on postrider.unique_job to " + role + ", public")
                    .execute(
                            "insert into postrider.event (event_id, topic, type, project_id, payload, unique_key) values"
                                    + " ('00000000-0000-0000-0000-000000000001', 'queue:q', 't', 'p', '{}', 'k')")
                    .execute("insert into postrider.unique_job (queue, unique_key, event_id)"
                            + " values ('q', 'k', '00000000-0000-0000-0000-000000000001')")
                    .execute("insert into postrider.worker (node, ended_at) values ('gone', now())");
            assertThat(new Migrator(door(database)).migrate(1_000, 262_144, true))
                    .isEqualTo(new Migrations.Done(
                            IntStream.rangeClosed(7, Migrator.MIGRATIONS.size())
                                    .boxed()
                                    .toList(),
                            true));
            assertThat(psql.text(
                            "select postrider.enqueue('q', 't', '{}', unique_key => 'k', project_id => 'p')::text"))
                    .as("the job that holds the key")
                    .isEqualTo("00000000-0000-0000-0000-000000000001");
            assertThat(psql.text(
                            "select postrider.enqueue('q', 't', '{}', unique_key => 'k', project_id => 'other')::text"))
                    .isNotEqualTo("00000000-0000-0000-0000-000000000001");
            assertThat(psql.text("select has_table_privilege('" + role + "', 'postrider.unique_job', 'select')::text"))
                    .isEqualTo("false");
            psql.passAll();
            assertThat(psql.number("select count(*) from postrider.jobs")).isEqualTo(2);
            psql.execute("drop role " + role);
        }
    }

    @Test
    void the_upgrade_to_domains_keeps_events_and_dependent_views(TestDatabase database) {
        Migrator migrator = new Migrator(door(database));
        migrator.migrate(1_000, 262_144, true);
        String insert =
                "insert into postrider.event (topic, type, user_id, payload) values ('orders', 'a', repeat('u', %d), '{}')";
        try (Psql psql = new Psql(database)) {
            undoVersion5(psql);
            psql.execute("grant select on postrider.events, postrider.jobs to public")
                    .execute("create view mine as select position, user_id from postrider.events")
                    .execute(insert.formatted(3_000))
                    .execute(Sql.resource("schema/V005__domains.sql"))
                    .execute("delete from postrider.migration where version = 0");
            assertThat(migrator.migrate(1_000, 262_144, true)).isEqualTo(new Migrations.Done(List.of(), true));
            assertThat(sqlState(psql, insert.formatted(1_025))).isEqualTo("23514");
            psql.execute(insert.formatted(1_024))
                    .execute("select postrider.enqueue('mail', 'send', '{}', user_id => 'u')")
                    .passAll();
            assertThat(psql.texts("select length(user_id)::text from mine order by position, user_id"))
                    .containsExactlyInAnyOrder("3000", "1024", "1");
            assertThat(psql.texts("select user_id from postrider.jobs")).containsExactly("u");
            assertThat(psql.number("select count(*) from pg_class where relacl::text like '%,=r/%'"
                            + " and oid in ('postrider.events'::regclass, 'postrider.jobs'::regclass)"))
                    .isEqualTo(2);
        }
    }

    /** As it was: these columns were of type text, and what a topic may be called was a check of the table. */
    private static void undoVersion5(Psql psql) {
        psql.execute("drop view postrider.event_outbox, postrider.job_outbox, postrider.jobs_in_reach, postrider.jobs,"
                + " postrider.events, postrider.queues, postrider.event_status");
        psql.execute("drop policy own_row on postrider.event"); // of version 17; it depends on a column
        for (String column : List.of("project_id", "user_id", "aggregate_type", "aggregate_id", "unique_key")) {
            psql.execute("alter table postrider.event alter " + column + " type text collate \"C\"");
        }
        psql.execute("drop domain postrider.event_reference")
                .execute("alter domain postrider.topic_name drop constraint queue_topic_is_a_lane")
                .execute("alter table postrider.event add constraint queue_topic_is_a_lane check (topic <> 'queue:')");
        for (String view : List.of("views/events", "views/jobs", "views/jobs_in_reach", "views/queues")) {
            psql.execute(Sql.resource(view + ".sql").replace("_id::text", "_id").replace("_type::text", "_type"));
        }
    }

    // ── what it refuses ─────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_server_that_is_too_old_is_refused() {
        assertThatThrownBy(() -> DatabaseCheck.requireVersion(130_014, "13.14"))
                .satisfies(is(Kind.CONFLICT))
                .hasMessageContainingAll("13.14", "too old", "14");
        DatabaseCheck.requireVersion(140_000, "14.0");
    }

    @Test
    void start_refuses_a_database_without_the_schema_and_changes_nothing(TestDatabase database) {
        try (Postrider postrider =
                        Postrider.on(database.dataSource(), Options.defaults().withAutocommit(true));
                Psql psql = new Psql(database)) {
            assertThatThrownBy(postrider::start).satisfies(is(Kind.CONFLICT)).hasMessageContaining("postrider migrate");
            assertThatThrownBy(() -> postrider.emit(psql.connection(), Event.of("orders", "a", "{}")))
                    .satisfies(is(Kind.CONFLICT))
                    .hasMessageContaining("postrider migrate");
            assertThatThrownBy(() -> postrider.listeners().list())
                    .satisfies(is(Kind.CONFLICT))
                    .hasMessageContaining("postrider migrate");
            assertThat(psql.texts("select nspname from pg_namespace where nspname = 'postrider'"))
                    .isEmpty();
        }
    }

    @Test
    void a_newer_schema_is_refused_by_migrate_and_by_start(TestDatabase database) {
        try (Postrider postrider = Postrider.on(database.dataSource());
                Psql psql = new Psql(database)) {
            postrider.migrate();
            psql.execute("insert into postrider.migration (version, name, digest) values (99, 'V099__future', 'x')");
            assertThatThrownBy(postrider::migrate)
                    .satisfies(is(Kind.CONFLICT))
                    .hasMessageContainingAll("version 99", "upgrade Postrider");
            assertThatThrownBy(postrider::start).satisfies(is(Kind.CONFLICT)).hasMessageContaining("version 99");
        }
    }

    @Test
    void a_role_without_create_gets_a_one_line_error_and_changes_nothing(TestDatabase database) throws SQLException {
        String role = "poor_" + database.name();
        try (Psql admin = new Psql(database)) {
            admin.execute("create role " + role + " login password 'x'");
            try {
                PGSimpleDataSource poor = new PGSimpleDataSource();
                poor.setUrl(database.jdbcUrl().replaceAll("\\?.*", ""));
                poor.setUser(role);
                poor.setPassword("x");
                try (Postrider postrider = Postrider.on(poor)) {
                    assertThatThrownBy(postrider::migrate)
                            .satisfies(is(Kind.REFUSED))
                            .message()
                            .contains("permission denied", "grant")
                            .doesNotContain("\n");
                    assertThat(admin.texts("select nspname from pg_namespace where nspname = 'postrider'"))
                            .isEmpty();
                    Postrider.on(database.dataSource()).migrate();
                    assertThatThrownBy(postrider::start)
                            .satisfies(is(Kind.REFUSED))
                            .message()
                            .contains("permission denied", "grant")
                            .doesNotContain("\n");
                    try (var connection = poor.getConnection()) {
                        connection.setAutoCommit(false);
                        assertThatThrownBy(() -> postrider.emit(connection, Event.of("orders", "a", "{}")))
                                .satisfies(is(Kind.REFUSED));
                    }
                }
            } finally {
                admin.execute("drop owned by " + role).execute("drop role " + role);
            }
        }
    }

    @Test
    void a_migration_that_fails_halfway_changes_nothing(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute("create schema postrider").execute("create table postrider.dead_letter (i int)");
            assertThatThrownBy(() -> Postrider.on(database.dataSource()).migrate())
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("dead_letter");
            assertThat(psql.texts("select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace"
                            + " where n.nspname = 'postrider'"))
                    .containsExactly("dead_letter");
        }
    }

    @Test
    void a_database_of_another_encoding_is_refused(TestDatabase database) {
        String name = database.name() + "_ascii";
        try (Psql admin = new Psql(database)) {
            admin.execute("create database " + name + " encoding 'SQL_ASCII' locale 'C' template template0");
            try (Postrider postrider = Postrider.on(database.server().dataSource(name))) {
                assertThatThrownBy(postrider::migrate)
                        .satisfies(is(Kind.CONFLICT))
                        .hasMessageContaining("UTF8");
            } finally {
                admin.execute("drop database " + name + " with (force)");
            }
        }
    }

    // ── the files ───────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void the_lists_name_exactly_the_existing_files() throws IOException {
        List<String> functions = new ArrayList<>(files("functions"));
        functions.addAll(files("views"));
        assertThat(Migrator.FUNCTIONS).containsExactlyInAnyOrderElementsOf(functions);
        assertThat(Migrator.MIGRATIONS.stream().map(name -> "schema/" + name))
                .containsExactlyElementsOf(files("schema"));
        for (int i = 0; i < Migrator.MIGRATIONS.size(); i++) {
            assertThat(Migrator.MIGRATIONS.get(i)).startsWith(String.format("V%03d__", i + 1));
        }
    }

    private static List<String> files(String folder) throws IOException {
        try (Stream<Path> paths = Files.list(Path.of("src/main/resources/postrider", folder))) {
            return paths.map(
                            path -> folder + "/" + path.getFileName().toString().replace(".sql", ""))
                    .sorted()
                    .toList();
        }
    }

    /** The schema as the catalogue has it, on every version of PostgreSQL: a change is seen in review. */
    @Test
    void the_schema_matches_the_golden_file(TestDatabase database) throws IOException {
        Postrider.on(database.dataSource()).migrate();
        String now;
        try (Psql psql = new Psql(database)) {
            now = String.join("\n", catalogue(psql)) + "\n";
        }
        if (System.getProperty("postrider.golden", "").equals("write")) {
            Files.writeString(GOLDEN, now);
        }
        assertThat(now)
                .as(
                        "the schema differs from %s. If that is meant: mvn -pl core -am test -Dtest=MigratorTest"
                                + " -Dsurefire.failIfNoSpecifiedTests=false -Dpostrider.golden=write, and look at the diff",
                        GOLDEN)
                .isEqualTo(Files.exists(GOLDEN) ? Files.readString(GOLDEN) : "");
    }

    /** Without the numbered segments, and without what differs between versions of PostgreSQL. */
    private static List<String> catalogue(Psql psql) {
        String tables = "from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'postrider'"
                + " and c.relname !~ '_[0-9]+(_|$)'";
        List<String> lines = new ArrayList<>();
        lines.addAll(psql.texts(
                "select 'table ' || c.relname || case c.relpersistence when 'p' then '' else ' not logged' end"
                        + " || coalesce(' partition by ' || pg_get_partkeydef(c.oid), '')"
                        + " || coalesce(' ' || pg_get_expr(c.relpartbound, c.oid), '') " + tables
                        + " and c.relkind in ('r', 'p') order by c.relname collate \"C\""));
        lines.addAll(psql.texts(
                "select 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)"
                        + " || case when a.attcollation <> 0 and l.collname <> 'default' then ' collate ' || l.collname else '' end"
                        + " || case when a.attnotnull then ' not null' else '' end"
                        + " || case a.attidentity when 'a' then ' generated always as identity' else '' end"
                        + " || coalesce(' default ' || regexp_replace(pg_get_expr(d.adbin, d.adrelid), '\\s+', ' ', 'g'), '') "
                        + tables
                        + " and c.relkind in ('r', 'p', 'v') and c.relname not like '%\\_beyond'"
                        + " join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped"
                        + " left join pg_collation l on l.oid = a.attcollation"
                        + " left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum"
                        + " order by c.relname collate \"C\", a.attnum"));
        lines.addAll(psql.texts("select 'domain ' || t.typname || ' ' || format_type(t.typbasetype, t.typtypmod)"
                + " || case when t.typcollation <> 0 then ' collate ' || l.collname else '' end"
                + " || ' ' || k.conname || ' ' || pg_get_constraintdef(k.oid)"
                + " from pg_type t join pg_namespace n on n.oid = t.typnamespace and n.nspname = 'postrider'"
                + " join pg_constraint k on k.contypid = t.oid left join pg_collation l on l.oid = t.typcollation"
                + " order by t.typname collate \"C\", k.conname collate \"C\""));
        lines.addAll(psql.texts(
                "select 'constraint ' || c.relname || '.' || k.conname || ' ' || pg_get_constraintdef(k.oid) "
                        + tables
                        + " and c.relname not like '%\\_beyond' join pg_constraint k on k.conrelid = c.oid and k.contype <> 'n'"
                        + " order by c.relname collate \"C\", k.conname collate \"C\""));
        lines.addAll(
                psql.texts(
                        "select 'index ' || pg_get_indexdef(c.oid) " + tables
                                + " and c.relkind in ('i', 'I') and c.relname not like '%\\_beyond%' order by c.relname collate \"C\""));
        lines.addAll(psql.texts(
                "select 'sequence ' || c.relname || ' ' || format_type(q.seqtypid, null) || ' cache ' || q.seqcache"
                        + " || ' increment ' || q.seqincrement " + tables + " join pg_sequence q on q.seqrelid = c.oid"
                        + " order by c.relname collate \"C\""));
        lines.addAll(
                psql.texts("select 'function ' || p.proname || '(' || pg_get_function_arguments(p.oid) || ') returns '"
                        + " || pg_get_function_result(p.oid) || ' ' || l.lanname || ' '"
                        + " || case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end"
                        + " || case when p.prosecdef then ' security definer' else '' end"
                        + " || coalesce(' set ' || array_to_string(p.proconfig, ', '), '')"
                        + " from pg_proc p join pg_namespace n on n.oid = p.pronamespace and n.nspname = 'postrider'"
                        + " join pg_language l on l.oid = p.prolang order by p.proname collate \"C\""));
        lines.addAll(psql.texts(
                "select 'policy ' || p.polname || ' on ' || c.relname || ' for ' || p.polcmd::text || case when"
                        + " c.relforcerowsecurity then ' forced' else '' end " + tables
                        + " join pg_policy p on p.polrelid = c.oid order by c.relname collate \"C\", p.polname"));
        lines.addAll(psql.texts("select 'trigger ' || t.tgname || ' on ' || c.relname " + tables
                + " join pg_trigger t on t.tgrelid = c.oid and not t.tgisinternal order by 1"));
        return lines;
    }

    // ── helpers ─────────────────────────────────────────────────────────────────────────────────────────────────────

    private static String sqlState(Psql psql, String sql) {
        try {
            psql.execute(sql);
            return "none";
        } catch (Psql.SqlFailure e) {
            return e.state();
        }
    }

    private static java.util.function.Consumer<Throwable> is(Kind kind) {
        return e -> assertThat(((PostriderException) e).kind()).isEqualTo(kind);
    }

    private static Migrator impatient(TestDatabase database) {
        return new Migrator(
                door(database),
                new MigrationLock(Duration.ofMillis(100)),
                new MigrationRetries(Duration.ofMillis(100)));
    }

    private static Database door(TestDatabase database) {
        return new Database(database.dataSource(), SchemaName.of("postrider"));
    }
}

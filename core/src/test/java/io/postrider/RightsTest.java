package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the documented database roles may do: every verb is tried on every table, view and sequence of the schema. */
@Migrated
@Tag("security")
class RightsTest {
    /** Permission denied; or the relation does not support the verb (a view that cannot be updated or truncated). */
    private static final Set<String> REFUSED = Set.of("42501", "42809", "55000", "0A000");

    private static final List<String> VERBS = List.of(
            "select 1 from %s limit 1",
            "insert into %s default values",
            "delete from %s where false",
            "truncate %s",
            "lock table %s in share row exclusive mode");

    private static final List<String> SEQUENCE_VERBS =
            List.of("select last_value from %s", "select nextval('%s')", "select setval('%s', 1, false)");

    private record Role(Psql admin, String name) implements AutoCloseable {
        static Role create(Psql admin, String name) {
            admin.execute("create role " + name + " nologin");
            return new Role(admin, name);
        }

        @Override
        public void close() {
            admin.execute("drop owned by " + name).execute("drop role " + name);
        }
    }

    @Test
    void a_producer_inserts_events_and_enqueues_and_nothing_else(TestDatabase database) throws IOException {
        try (Psql admin = new Psql(database);
                Role producer = Role.create(admin, "producer_" + database.name())) {
            grantAsDocumented(admin, database, producer);
            assertThat(admin.text("select concat_ws(' ', has_database_privilege(r, d, 'connect'),"
                            + " has_database_privilege(r, d, 'temporary'))"
                            + " from (values ('" + producer.name() + "', current_database())) v (r, d)"))
                    .isEqualTo("t f");
            assertThat(allowed(admin, producer.name()))
                    .containsExactlyInAnyOrder(
                            "insert into postrider.event default values", "select nextval('postrider.event_ids')");
            assertThat(admin.texts("select a.attname::text from pg_attribute a"
                            + " where a.attrelid = 'postrider.event'::regclass and a.attnum > 0 and not a.attisdropped"
                            + " and has_column_privilege('" + producer.name() + "', a.attrelid, a.attnum, 'insert')"))
                    .containsExactlyInAnyOrder(
                            "event_id",
                            "topic",
                            "type",
                            "key",
                            "project_id",
                            "user_id",
                            "aggregate_type",
                            "aggregate_id",
                            "payload",
                            "headers",
                            "due_at");
            assertThat(ownersFunctions(admin, producer.name()))
                    .containsExactlyInAnyOrder("enqueue", "lease_until", "unpositioned");
            assertThat(isAllowed(admin, producer.name(), "select postrider.emit('orders', 't', '{}')"))
                    .isTrue();
            assertThat(isAllowed(
                            admin, producer.name(), "select postrider.enqueue('mail', 't', '{}', unique_key => 'k')"))
                    .isTrue();
            assertThat(isAllowed(admin, producer.name(), "lock table postrider.sequencing in access share mode"))
                    .isFalse();
        }
    }

    /**
     * PostgreSQL checks no column grant for a column that is filled by the default of a view, and a producer that may create views
     * chooses these defaults.
     */
    @Test
    void a_producer_cannot_fill_a_protected_column_through_a_view_of_its_own(TestDatabase database) throws IOException {
        try (Psql admin = new Psql(database);
                Role producer = Role.create(admin, "producer_" + database.name())) {
            grantAsDocumented(admin, database, producer);
            admin.execute("grant temporary on database " + database.name() + " to " + producer.name())
                    .execute("create schema own authorization " + producer.name());
            List<String> defaults = List.of(
                    "tx set default '5'",
                    "tx set default ((pg_current_xact_id()::text)::bigint + 1)::text::xid8",
                    "id set default 9223372036854775806",
                    "id set default nextval('postrider.event_ids') - 1",
                    "created_at set default clock_timestamp() - interval '61 minutes'",
                    "created_at set default clock_timestamp() + interval '61 minutes'",
                    "unique_key set default 'k'",
                    "wake set default 'w'");
            for (String view : List.of("pg_temp.v", "own.v")) {
                String create =
                        "select nextval('postrider.event_ids'); create view " + view + " as select tx, id, topic,"
                                + " type, payload, created_at, unique_key, wake from postrider.event;";
                String insert = "insert into " + view + " (topic, type, payload) values ('orders', 't', '{}')";
                assertThat(isAllowed(admin, producer.name(), create + insert)).isTrue();
                for (String one : defaults) {
                    String attempt = create + "alter view " + view + " alter " + one + ";" + insert;
                    assertThat(isAllowed(admin, producer.name(), attempt))
                            .as(attempt)
                            .isFalse();
                }
            }
        }
    }

    @Test
    void a_role_with_insert_on_created_at_chooses_the_time(TestDatabase database) throws IOException {
        String insert = "insert into postrider.event (topic, type, payload, created_at) values ('orders', 't', '{}',"
                + " timestamptz '2020-01-01 00:00:00+00')";
        try (Psql admin = new Psql(database);
                Role producer = Role.create(admin, "producer_" + database.name())) {
            grantAsDocumented(admin, database, producer);
            assertThat(isAllowed(admin, producer.name(), insert)).isFalse();
            admin.execute("grant insert (created_at) on postrider.event to " + producer.name());
            assertThat(isAllowed(admin, producer.name(), insert)).isTrue();
        }
    }

    /** PostgreSQL refuses COPY FROM where row-level security applies. */
    @Test
    void a_producer_inserts_many_rows_by_every_statement_except_copy(TestDatabase database) throws IOException {
        try (Psql admin = new Psql(database);
                Role producer = Role.create(admin, "producer_" + database.name())) {
            grantAsDocumented(admin, database, producer);
            String into = "insert into postrider.event (topic, type, payload) ";
            for (String statement : List.of(
                    into + "values ('orders', 'a', '{}'), ('orders', 'b', '{}')",
                    into + "select 'orders', 't', '{}' from generate_series(1, 1000) i order by -i",
                    into + "select 'orders', t, '{}' from unnest(array['a', 'b']) with ordinality u (t, n) order by n",
                    "with w as materialized (select 't' as t from generate_series(1, 10)) " + into
                            + "select 'orders', w.t, '{}' from w",
                    "prepare p as " + into + "values ('orders', $1, '{}'); execute p ('a'); execute p ('b')")) {
                assertThat(isAllowed(admin, producer.name(), statement))
                        .as(statement)
                        .isTrue();
            }
            assertThat(isAllowed(admin, producer.name(), "copy postrider.event (topic, type, payload) from stdin"))
                    .isFalse();
        }
    }

    /** Reads, and changes that an operator has granted, are decided by grants alone. */
    @Test
    void granted_reads_and_deletes_of_events_see_every_row(TestDatabase database) {
        try (Psql admin = new Psql(database);
                Role reader = Role.create(admin, "viewer_" + database.name())) {
            admin.emit("orders", "a", "b")
                    .execute("grant usage on schema postrider to " + reader.name())
                    .execute("grant select, delete on postrider.event to " + reader.name())
                    .begin()
                    .execute("set local role " + reader.name());
            assertThat(admin.number("select count(*) from postrider.event")).isEqualTo(2);
            assertThat(admin.texts("delete from postrider.event returning type::text"))
                    .hasSize(2);
            admin.rollback();
        }
    }

    @Test
    void a_reader_selects_from_the_documented_views_and_nothing_else(TestDatabase database) {
        List<String> views = List.of(
                "events",
                "listeners",
                "dead_letters",
                "event_status",
                "jobs",
                "outbox_listeners",
                "outbox_dead_letters",
                "event_outbox",
                "job_outbox");
        try (Psql admin = new Psql(database);
                Role reader = Role.create(admin, "viewer_" + database.name())) {
            admin.execute("grant usage on schema postrider to " + reader.name());
            for (String view : views) {
                admin.execute("grant select on postrider." + view + " to " + reader.name());
            }
            assertThat(allowed(admin, reader.name()))
                    .containsExactlyInAnyOrderElementsOf(views.stream()
                            .map(view -> "select 1 from postrider." + view + " limit 1")
                            .toList());
            assertThat(ownersFunctions(admin, reader.name())).containsExactlyInAnyOrder("lease_until", "unpositioned");
            assertThat(isAllowed(admin, reader.name(), "select postrider.emit('orders', 't', '{}')"))
                    .isFalse();
            assertThat(isAllowed(admin, reader.name(), "select postrider.enqueue('mail', 't', '{}')"))
                    .isFalse();
        }
    }

    /** The view calls functions that run with the caller's rights, so the view alone is not enough. */
    @Test
    void a_reader_of_queues_needs_the_documented_tables_as_well(TestDatabase database) {
        String read = "select * from postrider.queues";
        try (Psql admin = new Psql(database);
                Role reader = Role.create(admin, "viewer_" + database.name())) {
            admin.execute("select postrider.enqueue('mail', 't', '{}')").passAll();
            admin.execute("grant usage on schema postrider to " + reader.name())
                    .execute("grant select on postrider.queues to " + reader.name());
            assertThat(isAllowed(admin, reader.name(), read)).isFalse();
            admin.execute("grant select on postrider.queue, postrider.head, postrider.claim, postrider.worker,"
                    + " postrider.settlement to " + reader.name());
            assertThat(isAllowed(admin, reader.name(), read)).isTrue();
        }
    }

    @Test
    void a_role_that_may_only_connect_can_do_nothing(TestDatabase database) {
        try (Psql admin = new Psql(database);
                Role other = Role.create(admin, "other_" + database.name())) {
            assertThat(allowed(admin, other.name())).isEmpty();
            assertThat(isAllowed(admin, other.name(), "select postrider.reader_role()"))
                    .isFalse();
        }
    }

    @Test
    void a_member_of_one_databases_reader_role_reads_no_other_database(TestDatabase database) {
        String read = "select 1 from postrider.event_log limit 1";
        try (TestDatabase second = TestDatabase.create();
                Psql admin = new Psql(database);
                Role member = Role.create(admin, "member_" + database.name())) {
            Postrider.on(second.dataSource()).migrate();
            admin.execute("grant " + database.reader() + " to " + member.name());
            assertThat(isAllowed(admin, member.name(), read)).isTrue();
            try (Psql elsewhere = new Psql(second)) {
                assertThat(isAllowed(elsewhere, member.name(), read)).isFalse();
            }
        }
    }

    /** A copy made with "create database … template …" has the grants of its source. */
    @Test
    void a_member_of_the_sources_reader_role_does_not_read_a_copy_of_the_database(TestDatabase database) {
        String read = "select 1 from postrider.event_log limit 1";
        Postrider.on(database.dataSource()).migrate();
        try (Psql admin = new Psql(database);
                Role member = Role.create(admin, "member_" + database.name());
                Role former = Role.create(admin, "postrider_reader_former_" + database.name())) {
            admin.execute("grant usage on schema postrider to " + former.name())
                    .execute("grant select on postrider.event_log, postrider.event to " + former.name())
                    .execute("grant " + former.name() + " to " + member.name());
            assertThat(isAllowed(admin, member.name(), read)).isTrue();
            Postrider.on(database.dataSource()).migrate();
            assertThat(isAllowed(admin, member.name(), read)).isFalse();
            assertThat(allowed(admin, former.name())).isEmpty();
            admin.execute("grant " + database.reader() + " to " + member.name());
            assertThat(isAllowed(admin, member.name(), read)).isTrue();
        }
    }

    // ── helpers ─────────────────────────────────────────────────────────────────────────────────────────────────────

    private static void grantAsDocumented(Psql admin, TestDatabase database, Role producer) throws IOException {
        for (String grant : documentedGrants()) {
            admin.execute(grant.replace(" to app", " to " + producer.name())
                    .replace(" database mydb ", " database " + database.name() + " "));
        }
    }

    /** The SQL of docs/operate.md that grants something to the role app. */
    private static List<String> documentedGrants() throws IOException {
        Matcher blocks = Pattern.compile("(?s)```sql\n(.*?)```")
                .matcher(Files.readString(Path.of("..").resolve("docs/operate.md")));
        List<String> grants = new ArrayList<>();
        while (blocks.find()) {
            if (blocks.group(1).contains(" to app")) {
                grants.add(blocks.group(1));
            }
        }
        assertThat(grants).isNotEmpty();
        return grants;
    }

    /** Every statement that is not refused. */
    private static List<String> allowed(Psql admin, String role) {
        List<String> statements = new ArrayList<>();
        for (String table : relations(admin, "'r', 'p', 'v', 'm'")) {
            VERBS.forEach(verb -> statements.add(verb.formatted(table)));
        }
        for (String sequence : relations(admin, "'S'")) {
            SEQUENCE_VERBS.forEach(verb -> statements.add(verb.formatted(sequence)));
        }
        statements.addAll(
                admin.texts(
                        "select distinct on (c.oid) format('update %s set %I = default where false', c.oid::regclass,"
                                + " a.attname) from pg_class c join pg_attribute a on a.attrelid = c.oid"
                                + " where c.relnamespace = 'postrider'::regnamespace and c.relkind in ('r', 'p', 'v')"
                                + " and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by c.oid, a.attnum desc"));
        assertThat(statements).hasSizeGreaterThan(150);
        return statements.stream().filter(sql -> isAllowed(admin, role, sql)).toList();
    }

    private static List<String> relations(Psql admin, String kinds) {
        return admin.texts("select c.oid::regclass::text from pg_class c"
                + " where c.relnamespace = 'postrider'::regnamespace and c.relkind in (" + kinds + ") order by 1");
    }

    /** Functions that run with the owner's rights and that the role may call. All others run with the caller's rights. */
    private static List<String> ownersFunctions(Psql admin, String role) {
        return admin.texts("select p.proname::text from pg_proc p where p.pronamespace = 'postrider'::regnamespace"
                + " and p.prosecdef and has_function_privilege('" + role + "', p.oid, 'execute')");
    }

    private static boolean isAllowed(Psql psql, String role, String sql) {
        psql.begin();
        try {
            psql.execute("set local role " + role).execute(sql);
            return true;
        } catch (Psql.SqlFailure e) {
            return !REFUSED.contains(e.state());
        } finally {
            psql.rollback();
        }
    }
}

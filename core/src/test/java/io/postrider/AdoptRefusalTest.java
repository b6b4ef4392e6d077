package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.postrider.PostriderException.Kind;
import io.postrider.admin.Adoption;
import io.postrider.admin.Adoptions;
import io.postrider.admin.Adoptions.Rows;
import io.postrider.admin.Adoptions.Step;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Each bad input is refused in one line, and nothing is changed. */
@Migrated
class AdoptRefusalTest {
    private static final String OUTBOX = AdoptTables.FLAG.create;

    private static Adoptions adoptions(TestDatabase database) {
        return Postrider.on(database.dataSource()).adoptions();
    }

    private static void refused(Kind kind, String text, ThrowingCallable call) {
        PostriderException e = catchThrowableOfType(PostriderException.class, call);
        assertThat(e).as(text).isNotNull();
        assertThat(e.getMessage()).contains(text).doesNotContain("\n");
        assertThat(e.kind()).isEqualTo(kind);
    }

    private static void assertNothingChanged(Psql psql) {
        assertThat(psql.number("select count(*) from pg_trigger where tgname = 'postrider_adopt'"))
                .isZero();
        for (String table : new String[] {"adoption", "adopted", "adoption_held", "adoption_reject", "event"}) {
            assertThat(psql.number("select count(*) from postrider." + table))
                    .as(table)
                    .isZero();
        }
    }

    @Test
    void a_relation_that_is_no_ordinary_table(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute(
                    "create table parts (id bigint primary key, event_type text, payload jsonb) partition by range (id);"
                            + " create table part partition of parts default; create view seen as select * from parts");
            Adoptions adoptions = adoptions(database);
            refused(Kind.NOT_FOUND, "no table nowhere in schema public", () -> adoptions.plan(Adoption.of("nowhere")));
            refused(Kind.NOT_FOUND, "no table x in schema y", () -> bridge(adoptions, "y.x"));
            refused(Kind.REFUSED, "public.parts is partitioned", () -> bridge(adoptions, "parts"));
            refused(Kind.REFUSED, "public.part is a partition", () -> bridge(adoptions, "part"));
            refused(Kind.REFUSED, "public.seen is a view", () -> bridge(adoptions, "seen"));
            refused(Kind.REFUSED, "is a table of Postrider", () -> bridge(adoptions, "postrider.adoption"));
            refused(Kind.REFUSED, "table must be a name such as public.outbox", () -> bridge(adoptions, "a;b"));
            refused(Kind.NOT_FOUND, "public.parts is not adopted", () -> adoptions.status("parts"));
            assertNothingChanged(psql);
        }
    }

    @Test
    void columns_that_do_not_fit(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute(OUTBOX).execute("create table plain (id int primary key, name text)");
            psql.execute("create table twice (id int, event_type text, payload jsonb)");
            Adoptions adoptions = adoptions(database);
            refused(Kind.REFUSED, "public.plain is not recognised", () -> bridge(adoptions, "plain"));
            refused(Kind.REFUSED, "column id of public.twice is not unique", () -> bridge(adoptions, "twice"));
            refused(
                    Kind.REFUSED,
                    "public.outbox has no column body; it has id, event_type, payload, created_at, processed_at",
                    () -> adoptions.plan(Adoption.of("outbox").withMap("body", "payload")));
            refused(
                    Kind.REFUSED,
                    "column id of public.outbox has type bigint and cannot be payload",
                    () -> adoptions.plan(Adoption.of("outbox").withMap("id", "payload")));
            refused(
                    Kind.REFUSED,
                    "field payload is mapped twice",
                    () -> adoptions.plan(
                            Adoption.of("outbox").withMap("payload", "payload").withMap("event_type", "payload")));
            refused(
                    Kind.REFUSED,
                    "has no column n",
                    () -> adoptions.plan(Adoption.of("outbox").withOrder("n")));
            refused(
                    Kind.REFUSED,
                    "field must be one of",
                    () -> Adoption.of("outbox").withMap("id", "colour"));
            refused(
                    Kind.REFUSED,
                    "a topic or a queue, not both",
                    () -> Adoption.of("outbox").withTopic("t").withQueue("q"));
            refused(Kind.REFUSED, "--topic T", () -> adoptions.bridge(Adoption.of("outbox")));
            assertNothingChanged(psql);
        }
    }

    @Test
    void a_second_adoption_and_steps_out_of_order(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute(OUTBOX).execute(AdoptTables.FLAG.insert("k", 1));
            Adoptions adoptions = adoptions(database);
            bridge(adoptions, "outbox");
            refused(
                    Kind.CONFLICT,
                    "public.outbox is already adopted to topic t and is holding",
                    () -> bridge(adoptions, "outbox"));
            refused(
                    Kind.CONFLICT,
                    "public.outbox is holding; finish needs it to be emitting",
                    () -> adoptions.finish("outbox", false));
            adoptions.undo(Step.BRIDGE, "outbox");
            refused(
                    Kind.CONFLICT,
                    "was adopted to topic t before",
                    () -> adoptions.bridge(Adoption.of("outbox").withTopic("other")));
            refused(Kind.CONFLICT, "is undone", () -> adoptions.importRows("outbox", Rows.ALL, false, p -> {}));
        }
    }

    @Test
    void rows_that_cannot_be_imported(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute(AdoptTables.DELETE.create)
                    .execute("insert into outbox_events (event_type, payload) values ('a', 'no json')");
            Adoptions adoptions = adoptions(database);
            refused(
                    Kind.REFUSED,
                    ": the payload is not JSON; map other columns",
                    () -> adoptions.bridge(AdoptTables.DELETE.adoption()));
            assertNothingChanged(psql);
            psql.execute("insert into outbox_events (event_type, payload) values ('good', '{}')")
                    .execute(
                            "insert into outbox_events (event_type, payload) values ('b', to_json(repeat('x', 300000)))");
            assertThat(adoptions.plan(Adoption.of("outbox_events")).bad()).isEqualTo(2);
            adoptions.bridge(AdoptTables.DELETE.adoption());
            refused(
                    Kind.REFUSED,
                    "2 of 3 rows of public.outbox_events cannot be imported, such as row ",
                    () -> adoptions.importRows("outbox_events", Rows.ALL, false, p -> {}));
            assertThat(psql.number("select count(*) from postrider.event")).isZero();
            assertThat(adoptions
                            .importRows("outbox_events", Rows.ALL, true, p -> {})
                            .counts())
                    .containsEntry("imported", 1L)
                    .containsEntry("rejected", 2L);
            refused(
                    Kind.CONFLICT,
                    "2 unfinished rows that were not taken over",
                    () -> adoptions.finish("outbox_events", false));
        }
    }

    @Test
    void a_role_without_the_rights(TestDatabase database) {
        String role = "stranger_" + database.name();
        try (Psql psql = new Psql(database)) {
            psql.execute(OUTBOX)
                    .execute("create role " + role + " login password 'x'")
                    .execute("grant usage on schema postrider to " + role)
                    .execute("grant select on all tables in schema postrider to " + role)
                    .execute("grant all on outbox to " + role);
            org.postgresql.ds.PGSimpleDataSource dataSource = new org.postgresql.ds.PGSimpleDataSource();
            dataSource.setUrl(database.jdbcUrl().replaceAll("\\?.*", "?user=" + role + "&password=x"));
            Adoptions theirs = Postrider.on(dataSource).adoptions();
            refused(
                    Kind.REFUSED,
                    "role " + role + " does not own public.outbox; connect as ",
                    () -> bridge(theirs, "outbox"));
            psql.execute("alter table outbox owner to " + role);
            refused(
                    Kind.REFUSED,
                    "role " + role + " may not use the bridge; run `grant execute",
                    () -> bridge(theirs, "outbox"));
            assertNothingChanged(psql);
            psql.execute("drop owned by " + role).execute("drop role " + role);
        }
    }

    @Test
    void a_transaction_that_stays_open_is_named_and_writers_go_on(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql open = new Psql(database)) {
            psql.execute(OUTBOX);
            open.begin().execute(AdoptTables.FLAG.insert("k", 1));
            refused(
                    Kind.CONFLICT,
                    "session pid=" + open.pid(),
                    () -> adoptions(database)
                            .withPatience(Duration.ofMillis(500))
                            .bridge(AdoptTables.FLAG.adoption()));
            psql.execute("set lock_timeout = '5s'").execute(AdoptTables.FLAG.insert("k", 2));
            assertNothingChanged(psql);
            open.commit();
        }
    }

    /** The writers of the old table have rights on it, and none on the schema of Postrider. */
    @Test
    void a_writer_needs_no_new_rights_and_cannot_attach_the_bridge(TestDatabase database) {
        String role = "writer_" + database.name();
        try (Psql psql = new Psql(database)) {
            psql.execute(OUTBOX)
                    .execute("create role " + role + " nologin")
                    .execute("grant insert on outbox to " + role)
                    .execute("grant usage on sequence outbox_id_seq to " + role)
                    .execute("grant create on schema public to " + role);
            bridge(adoptions(database), "outbox");
            psql.execute("set role " + role).execute(AdoptTables.FLAG.insert("k", 1));
            psql.execute("create table theirs (id int primary key)");
            Psql.SqlFailure denied = catchThrowableOfType(
                    Psql.SqlFailure.class,
                    () -> psql.execute("create trigger t after insert on theirs for each row"
                            + " execute function postrider.adopt_bridge('emit', '{}')"));
            assertThat(denied.state()).isEqualTo("42501");
            psql.execute("reset role").passAll();
            assertThat(psql.log("t")).containsExactly("changed");
            psql.execute("drop owned by " + role).execute("drop role " + role);
        }
    }

    private static void bridge(Adoptions adoptions, String table) {
        adoptions.bridge(Adoption.of(table).withTopic("t"));
    }
}

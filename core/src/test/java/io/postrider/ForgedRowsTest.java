package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.internal.db.Database;
import io.postrider.internal.db.SchemaName;
import io.postrider.internal.doctor.progress.SequencingHealth;
import io.postrider.testkit.TestDatabase;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a producer did to others with rows whose tx, id and time it chose, through the defaults of a view of its own. The rows are
 * refused; and where the owner inserts such rows by mistake, segments and eras are still made.
 */
@Migrated(segmentSize = 1_000)
@Tag("security")
class ForgedRowsTest {
    private static final long LAST_ID = Long.MAX_VALUE;

    private TestDatabase database;
    private Psql admin;
    private Psql forger;
    private String role;

    @BeforeEach
    void open(TestDatabase given) {
        database = given;
        role = "forger_" + database.name();
        admin = new Psql(database);
        admin.execute("create role " + role + " nologin")
                .execute("grant usage on schema postrider to " + role)
                .execute("grant temporary on database " + database.name() + " to " + role)
                .execute("grant insert (topic, type, payload) on postrider.event to " + role)
                .execute("grant usage on sequence postrider.event_ids to " + role);
        forger = new Psql(database)
                .execute("set role " + role)
                .execute("create temp view v as select tx, id, created_at, topic, type, payload from postrider.event");
    }

    @AfterEach
    void close() {
        forger.close();
        admin.execute("drop owned by " + role).execute("drop role " + role);
        admin.close();
    }

    @Test
    void the_positions_of_a_backlog_cannot_be_taken() {
        admin.emit("orders", "first").passAll();
        try (Psql victim = new Psql(database)) {
            victim.begin().emitMany("orders", "a", 30);
            String drawn = forger.text("select nextval('postrider.event_ids')::text");
            victim.emitMany("orders", "b", 30);
            String tx = victim.text("select pg_current_xact_id()::text");
            victim.commit();
            admin.pass(20);
            assertThat(admin.number("select count(*) from postrider.backlog")).isPositive();
            assertRefused("tx set default '" + tx + "'", "id set default " + drawn);
        }
        admin.passAll();
        assertThat(admin.log("orders")).hasSize(61).doesNotContain("forged");
        assertThat(Postrider.on(database.dataSource()).verifier().verify(step -> {}))
                .allMatch(result -> result.holds());
    }

    @Test
    void an_id_that_another_transaction_will_draw_cannot_be_used_before_it() {
        try (Psql victim = new Psql(database)) {
            victim.begin();
            String tx = victim.text("select pg_current_xact_id()::text");
            long drawn = forger.number("select nextval('postrider.event_ids')");
            assertRefused("tx set default '" + tx + "'", "id set default " + (drawn + 1));
            victim.emit("orders", "a").commit();
        }
        admin.passAll();
        assertThat(admin.log("orders")).containsExactly("a");
    }

    @Test
    void an_id_at_the_end_of_bigint_cannot_stop_the_making_of_segments() {
        forger.text("select nextval('postrider.event_ids')::text");
        assertRefused("id set default " + (LAST_ID - 1));
        assertSegmentsAreMade();
    }

    @Test
    void an_old_time_cannot_feign_a_stall() {
        admin.emit("orders", "a").passAll();
        forger.text("select nextval('postrider.event_ids')::text");
        assertRefused(
                "id set default " + (LAST_ID - 1), "created_at set default clock_timestamp() - interval '2 hours'");
        admin.pass();
        admin.execute("update postrider.pass set at = at - interval '1 hour'");
        assertThat(new Database(database.dataSource(), SchemaName.of("postrider"))
                        .autocommit(SequencingHealth::trouble))
                .isEmpty();
    }

    /** The owner may insert any id, and a row of an earlier version may have one. */
    @Test
    void segments_are_made_beside_ids_that_no_sequence_drew() {
        for (long id : List.of(LAST_ID, LAST_ID - 1, 50_000L, 50_001L)) {
            admin.execute(
                    "insert into postrider.event (id, topic, type, payload) values (" + id + ", 'other', 't', '{}')");
        }
        assertSegmentsAreMade();
    }

    @Test
    void an_era_opens_beside_ids_that_no_sequence_drew() {
        admin.emit("orders", "a").passAll();
        admin.execute("insert into postrider.event (id, topic, type, payload) values (" + LAST_ID
                + ", 'other', 'far', '{}'), (5000, 'other', 'near', '{}')");
        admin.execute("update postrider.era set system_identifier = system_identifier + 1");
        admin.passAll();
        assertThat(admin.log("other")).containsExactly("near", "far");
        assertThat(admin.number("select last_value from postrider.event_ids")).isBetween(1_005_000L, 1_006_000L);
        admin.emit("orders", "b").passAll();
        assertThat(admin.log("orders")).containsExactly("a", "b");
    }

    @Test
    void a_queue_name_that_no_worker_accepts_is_refused() {
        String insert = "insert into postrider.event (topic, type, payload) values ('queue:%s', 't', '{}')";
        admin.execute(insert.formatted("q".repeat(80) + ":high")).execute(insert.formatted("q".repeat(80)));
        admin.execute(insert.replace("queue:", "").formatted("t".repeat(100)));
        for (String name : List.of("q".repeat(81), "q".repeat(81) + ":low")) {
            assertThatThrownBy(() -> admin.execute(insert.formatted(name)))
                    .isInstanceOfSatisfying(
                            Psql.SqlFailure.class, e -> assertThat(e.state()).isEqualTo("23514"));
        }
    }

    /** The sequence goes on through several segments, and every event finds one. */
    private void assertSegmentsAreMade() {
        List<String> emitted = IntStream.range(0, 20).mapToObj(i -> "e" + i).toList();
        for (String type : emitted) {
            admin.text("select count(nextval('postrider.event_ids'))::text from generate_series(1, 900)");
            admin.emit("orders", type).passAll();
            admin.text("select postrider.make_segments(1000, 1000000)::text");
        }
        assertThat(admin.log("orders")).isEqualTo(emitted);
        assertThat(admin.number("select max(low) from postrider.segment where family = 'log'"))
                .isBetween(18_000L, 200_000L);
    }

    private void assertRefused(String... defaults) {
        for (String one : defaults) {
            forger.execute("alter view v alter " + one);
        }
        assertThatThrownBy(
                        () -> forger.execute("insert into v (topic, type, payload) values ('orders', 'forged', '{}')"))
                .isInstanceOfSatisfying(
                        Psql.SqlFailure.class, e -> assertThat(e.state()).isEqualTo("42501"));
    }
}

package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Adoption;
import io.postrider.admin.Adoptions;
import io.postrider.admin.Adoptions.Progress;
import io.postrider.admin.Adoptions.Rows;
import io.postrider.admin.Adoptions.Shape;
import io.postrider.admin.Adoptions.State;
import io.postrider.admin.Adoptions.Step;
import io.postrider.testkit.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Taking over a table, step by step, for each shape. */
@Migrated
class AdoptTest {
    private static Adoptions adoptions(TestDatabase database) {
        return Postrider.on(database.dataSource()).adoptions();
    }

    @ParameterizedTest
    @EnumSource(AdoptTables.class)
    void each_shape_is_recognised_with_its_statements_and_locks(AdoptTables shape, TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute(shape.create).execute(shape.insert("1", 1));
            Adoptions.Plan plan = adoptions(database).plan(Adoption.of(shape.table));
            assertThat(plan.shape()).isEqualTo(Shape.valueOf(shape.name()));
            assertThat(plan.source()).isEqualTo("public." + shape.table);
            assertThat(plan.rows()).isEqualTo(1);
            assertThat(plan.unfinished()).isEqualTo(1);
            assertThat(plan.bad()).isZero();
            assertThat(plan.ignored()).isEmpty();
            assertThat(plan.statements().get(0).sql())
                    .isEqualTo("lock table public." + shape.table + " in share row exclusive mode");
            assertThat(plan.statements())
                    .allSatisfy(one -> assertThat(one.lock()).isNotEmpty());
            assertThat(plan.statements().stream().map(Adoptions.Statement::step))
                    .contains(Step.values());
            assertThat(psql.number("select count(*) from postrider.adoption")).isZero();
            assertThat(psql.number("select count(*) from pg_trigger where tgname = 'postrider_adopt'"))
                    .isZero();
        }
    }

    @Test
    void a_flag_table_is_adopted_old_rows_first_and_every_row_once(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute(AdoptTables.FLAG.create);
            for (int i = 1; i <= 5; i++) {
                psql.execute("insert into outbox (event_type, payload, created_at) values ('old" + i + "', '{\"n\": "
                        + i + "}', '2026-01-02 03:04:05.678901+00')");
            }
            psql.execute("update outbox set processed_at = now() where id <= 2");
            Adoptions adoptions = adoptions(database);
            assertThat(adoptions.bridge(AdoptTables.FLAG.adoption()).state()).isEqualTo(State.HOLDING);
            psql.execute("insert into outbox (event_type, payload) values ('new1', '{}')");
            psql.begin()
                    .execute("insert into outbox (event_type, payload) values ('gone', '{}')")
                    .rollback();
            psql.passAll();
            assertThat(psql.log("t")).as("captured, not delivered").isEmpty();
            List<Progress> progress = new ArrayList<>();
            Adoptions.Result done = adoptions.importRows("outbox", Rows.ALL, false, progress::add);
            assertThat(done.counts()).containsEntry("imported", 5L).containsEntry("released", 1L);
            assertThat(done.state()).isEqualTo(State.EMITTING);
            assertThat(progress).contains(new Progress(0, 6)).endsWith(new Progress(6, 6));
            psql.begin().execute("insert into outbox (event_type, payload) values ('new2', '{}')");
            assertThat(psql.number("select count(*) from postrider.event where type = 'new2'"))
                    .as("in the writer's transaction")
                    .isEqualTo(1);
            psql.commit();
            psql.passAll();
            assertThat(psql.log("t")).containsExactly("old1", "old2", "old3", "old4", "old5", "new1", "new2");
            assertThat(psql.row(
                            "select event_id = postrider.adopted_event_id('public.outbox', '3') as id, created_at, payload::text,"
                                    + " headers ->> 'adopted_from' as f, headers ->> 'adopted_id' as i"
                                    + " from postrider.event where type = 'old3'"))
                    .isEqualTo("true|2026-01-02T03:04:05.678901+00:00|{\"n\": 3}|public.outbox|3");
            assertThat(adoptions.importRows("outbox", Rows.ALL, false, p -> {}).counts())
                    .as("a second import")
                    .containsEntry("imported", 0L);
            Adoptions.Status status = adoptions.status("outbox");
            assertThat(status.rows()).isEqualTo(7);
            assertThat(status.imported()).isEqualTo(5);
            assertThat(status.bridged()).isEqualTo(2);
            assertThat(status.notAdopted()).isZero();
            assertThat(status.doneOnlyThere()).isEqualTo(2);
            assertThat(status.examples().get("only_there")).containsExactly("1", "2");
            Adoptions.Result finished = adoptions.finish("outbox", false);
            assertThat(finished.notes().get(0)).contains("drop table public.outbox");
            psql.execute("drop table outbox");
            assertThat(adoptions.status("outbox").rows()).isEqualTo(-1);
        }
    }

    @Test
    void a_uuid_stays_the_event_id_and_references_are_kept(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute(AdoptTables.STATUS.create).execute(AdoptTables.STATUS.insert("42", 1));
            String id = psql.text("select id from event_outbox");
            Adoptions adoptions = adoptions(database);
            adoptions.bridge(AdoptTables.STATUS.adoption());
            adoptions.importRows("event_outbox", Rows.UNFINISHED, false, p -> {});
            assertThat(psql.row("select event_id, key, aggregate_type, aggregate_id, user_id, project_id, type"
                            + " from postrider.event"))
                    .isEqualTo(id + "|42|order|42|u1|p1|changed");
        }
    }

    @Test
    void only_unfinished_rows_are_imported_if_asked(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute(AdoptTables.STATUS.create);
            for (String status : List.of("published", "pending", "failed", "PUBLISHED")) {
                psql.execute("insert into event_outbox (event_type, payload, status) values ('" + status + "', '{}', '"
                        + status + "')");
            }
            Adoptions adoptions = adoptions(database);
            adoptions.bridge(AdoptTables.STATUS.adoption());
            assertThat(adoptions
                            .dryRun()
                            .importRows("event_outbox", Rows.UNFINISHED, false, p -> {})
                            .counts())
                    .containsEntry("imported", 2L);
            assertThat(psql.number("select count(*) from postrider.event")).isZero();
            adoptions.importRows("event_outbox", Rows.UNFINISHED, false, p -> {});
            psql.passAll();
            assertThat(psql.log("t")).containsExactly("pending", "failed");
        }
    }

    @Test
    void an_empty_table_emits_from_the_bridge_on(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute(AdoptTables.DELETE.create);
            assertThat(adoptions(database).bridge(AdoptTables.DELETE.adoption()).state())
                    .isEqualTo(State.EMITTING);
            psql.execute(AdoptTables.DELETE.insert("7", 1)).passAll();
            assertThat(psql.row("select key, payload::text from postrider.event"))
                    .isEqualTo("7|{\"n\": 1, \"key\": \"7\"}");
        }
    }

    @Test
    void jobs_are_enqueued_unless_finished_and_a_claimed_one_after_its_lease(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute(
                    "create table work (id uuid primary key default gen_random_uuid(), job_type text, item_id text,"
                            + " status text, run_at timestamptz, locked_by text, lease_expires_at timestamptz, attempt_count int,"
                            + " last_error_code text, last_error_message text, payload jsonb)");
            psql.execute(
                    "insert into work (job_type, item_id, status, run_at, lease_expires_at, payload) values"
                            + " ('a', '1', 'PENDING', null, null, '{\"x\": 1}'), ('b', '2', 'DONE', null, null, '{}'),"
                            + " ('c', '3', 'IN_PROGRESS', null, '2126-01-01 00:00:00+00', '{}'),"
                            + " ('d', '4', 'FAILED', null, null, '{}'), ('e', '5', 'PENDING', '2126-02-01 00:00:00+00', null, '{}')");
            Adoptions adoptions = adoptions(database);
            assertThat(adoptions.plan(Adoption.of("work")).shape()).isEqualTo(Shape.JOBS);
            adoptions.bridge(Adoption.of("work").withQueue("q").withOrder("job_type"));
            psql.execute("insert into work (job_type, item_id, status, payload) values ('f', '6', 'PENDING', '{}')");
            psql.execute("insert into work (job_type, item_id, status, payload) values ('g', '7', 'PENDING', '{}')");
            psql.execute("update work set status = 'DONE' where job_type = 'g'"); // by an old worker, while it is held
            Adoptions.Result done = adoptions.importRows("work", Rows.ALL, false, p -> {});
            assertThat(done.counts())
                    .containsEntry("imported", 3L)
                    .containsEntry("released", 1L)
                    .containsEntry("skipped", 1L);
            assertThat(psql.texts(
                            "select type || ' ' || key || ' ' || coalesce(due_at at time zone 'UTC' || '', '') || payload"
                                    + " from postrider.event where topic = 'queue:q' order by id"))
                    .containsExactly(
                            "a 1 {\"x\": 1}", "c 3 2126-01-01 00:00:00{}", "e 5 2126-02-01 00:00:00{}", "f 6 {}");
        }
    }

    @Test
    void a_job_table_without_type_and_payload_gets_both_from_its_columns(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute(AdoptTables.JOBS.create).execute(AdoptTables.JOBS.insert("k", 17));
            psql.execute(
                    "insert into enrichment_outbox (item_id, status, claimed_at) values (18, 'IN_PROGRESS', '2126-01-01')");
            Adoptions adoptions = adoptions(database);
            adoptions.bridge(AdoptTables.JOBS.adoption());
            adoptions.importRows("enrichment_outbox", Rows.UNFINISHED, false, p -> {});
            assertThat(psql.texts("select type || ' ' || key || ' ' || payload from postrider.event order by id"))
                    .containsExactly(
                            "enrichment_outbox 17 {\"item_id\": 17}", "enrichment_outbox 18 {\"item_id\": 18}");
            assertThat(psql.number("select count(*) from postrider.event where due_at > '2126-01-01 00:04+00'"))
                    .as("five minutes after it was claimed")
                    .isEqualTo(1);
        }
    }

    @Test
    void other_columns_are_mapped(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute(
                    "create schema \"App\"; create table \"App\".\"Out box\" (no numeric unique, kind text, doc bytea,"
                            + " who text, at timestamp, sent boolean not null default false)");
            psql.execute("insert into \"App\".\"Out box\" values (1.5, 'a', convert_to('{\"x\": 1}', 'UTF8'), 'k',"
                    + " '2026-01-01 12:00', false)");
            Adoptions adoptions = adoptions(database);
            Adoption adoption = Adoption.of("\"App\".\"Out box\"")
                    .withMap("no", "id")
                    .withMap("kind", "type")
                    .withMap("doc", "payload")
                    .withMap("who", "key")
                    .withMap("at", "created_at")
                    .withTopic("t");
            adoptions.bridge(adoption);
            psql.execute(
                    "insert into \"App\".\"Out box\" values (2, 'b', convert_to('{}', 'UTF8'), null, '2026-01-01 13:00')");
            adoptions.importRows("\"App\".\"Out box\"", Rows.ALL, false, p -> {});
            assertThat(psql.texts(
                            "select concat_ws(' ', type, key, payload, created_at at time zone 'UTC', headers ->> 'adopted_from',"
                                    + " headers ->> 'adopted_id') from postrider.event order by id"))
                    .containsExactly(
                            "a k {\"x\": 1} 2026-01-01 12:00:00 \"App\".\"Out box\" 1.5",
                            "b {} 2026-01-01 13:00:00 \"App\".\"Out box\" 2");
        }
    }

    @Test
    void a_row_that_cannot_become_an_event_never_fails_its_writer(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            psql.execute(AdoptTables.DELETE.create);
            Adoptions adoptions = adoptions(database);
            adoptions.bridge(AdoptTables.DELETE.adoption());
            psql.execute("insert into outbox_events (event_type, payload) values ('a', 'no json')")
                    .execute("insert into outbox_events (event_type, payload) values ('not a name', '{}')")
                    .execute(
                            "insert into outbox_events (event_type, payload) values ('a', to_json(repeat('x', 300000)))")
                    .execute("insert into outbox_events (event_type, payload) values ('a', '\"\\u0000\"')")
                    .execute("insert into outbox_events (event_type, payload) values ('good', '{}')")
                    .passAll();
            assertThat(psql.log("t")).containsExactly("good");
            Adoptions.Status status = adoptions.status("outbox_events");
            assertThat(status.rejected()).isEqualTo(4);
            assertThat(status.examples().get("rejected"))
                    .anyMatch(text -> text.endsWith(": the payload is not JSON"))
                    .anyMatch(text -> text.endsWith(": the payload is over the cap"))
                    .anyMatch(text -> text.contains(": the type is not a name"));
            assertThat(status.agrees()).isFalse();
        }
    }

    @Test
    void a_writer_in_repeatable_read_that_began_before_the_bridge_is_bridged(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql writer = new Psql(database)) {
            psql.execute(AdoptTables.FLAG.create).execute(AdoptTables.FLAG.insert("k", 1));
            writer.begin()
                    .execute("set transaction isolation level repeatable read")
                    .text("select count(*) from outbox");
            Adoptions adoptions = adoptions(database);
            adoptions.bridge(AdoptTables.FLAG.adoption());
            adoptions.importRows("outbox", Rows.ALL, false, p -> {});
            writer.execute("insert into outbox (event_type, payload) values ('late', '{}')")
                    .commit();
            psql.passAll();
            assertThat(psql.log("t")).containsExactly("changed", "late");
        }
    }
}

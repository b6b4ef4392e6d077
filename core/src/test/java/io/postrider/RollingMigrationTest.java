package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tables, functions and views change under a running node whose sessions have prepared every statement. After a result gets a
 * column, such a statement fails once with 0A000, "cached plan must not change result type".
 */
@Migrated
@Tag("slow")
class RollingMigrationTest {
    private static final int AT_ONCE = 10;
    private static final String CLAIM =
            "select * from postrider.claim_delayed('q', array['queue:q'], 0, 1, 1, array['t'], 0)";

    /** What nodes call with a row as the result: the next release may return one column more. */
    private static final String ADD_RESULT_COLUMNS = """
            do $$
            declare
              f record;
            begin
              for f in
                select p.proname as name, p.pronargs as arguments, pg_get_function_identity_arguments(p.oid) as identity,
                  pg_get_function_arguments(p.oid) as declared, pg_get_function_result(p.oid) as result
                from pg_proc p
                where p.pronamespace = 'postrider'::regnamespace
                and p.proname in ('claim', 'claim_delayed', 'read', 'sequence')
                and pg_get_function_result(p.oid) like 'TABLE(%'
              loop
                execute format('alter function postrider.%1$I(%2$s) rename to %1$s_before', f.name, f.identity);
                execute format('create function postrider.%I(%s) returns %s, added int) language sql as %L', f.name, f.declared,
                  rtrim(f.result, ')'), format('select b.*, 1 from postrider.%I(%s) b', f.name || '_before',
                    (select string_agg('$' || i, ', ') from generate_series(1, f.arguments) i)));
              end loop;
            end
            $$""";

    /** Each in a transaction of its own: together they would deadlock with the node. */
    private static final List<String> ADD_TABLE_COLUMNS = Stream.of(
                    "event",
                    "log",
                    "head",
                    "pass",
                    "delivery",
                    "listener",
                    "setback",
                    "dead_letter",
                    "claim",
                    "settlement",
                    "delayed",
                    "finish",
                    "worker",
                    "queue")
            .map(table -> "alter table postrider." + table + " add column added int")
            .toList();

    private static final String REPLACE_VIEWS = """
            do $$
            declare
              v record;
            begin
              for v in select c.relname as name, rtrim(pg_get_viewdef(c.oid), ';') as body from pg_class c
                where c.relnamespace = 'postrider'::regnamespace and c.relkind = 'v'
              loop
                execute format('create or replace view postrider.%I as select v.*, 1 as added from (%s) v', v.name, v.body);
              end loop;
            end
            $$""";

    @Test
    void jobs_and_listeners_go_on_while_tables_functions_and_views_change(TestDatabase database) {
        Map<String, Integer> handled = new ConcurrentHashMap<>();
        List<String> repeated = new CopyOnWriteArrayList<>();
        try (Psql psql = new Psql(database);
                Node node = new Node(database.jdbcUrl() + "&prepareThreshold=1", options -> options)) {
            psql.execute("prepare claim as " + CLAIM);
            node.postrider
                    .add(Worker.on("q")
                            .handling("plain", job -> job(job, handled, repeated))
                            .handlingInTransaction("transactional", (connection, job) -> job(job, handled, repeated)))
                    .add(Listener.relay("relay", "orders", event -> handled.merge("relay", 1, Integer::sum))
                            .withStart(StartPoint.beginning()))
                    .add(Listener.transactional(
                                    "transactional",
                                    "orders",
                                    (connection, event) -> handled.merge("t", 1, Integer::sum))
                            .withStart(StartPoint.beginning()))
                    .start();
            int round = 0;
            for (List<String> migration : List.of(
                    List.of("update postrider.migration set digest = 'of an older release' where version = 0"),
                    ADD_TABLE_COLUMNS,
                    List.of(ADD_RESULT_COLUMNS),
                    List.of(REPLACE_VIEWS))) {
                emit(node);
                migration.forEach(psql::execute);
                node.postrider.migrate();
                emit(node);
                round += 2;
                await(round, handled);
                assertThat(node.postrider.listeners().list()).hasSize(2);
                assertThat(node.postrider.jobs().find(new java.util.UUID(0, 0))).isEmpty();
            }
            assertThatThrownBy(() -> psql.execute("execute claim"))
                    .as("what the node's sessions had to cope with")
                    .isInstanceOfSatisfying(
                            Psql.SqlFailure.class, e -> assertThat(e.state()).isEqualTo("0A000"));
            assertThat(repeated)
                    .as("jobs that were not done at their first attempt")
                    .isEmpty();
            assertThat(psql.number("select count(*) from postrider.setback")).isZero();
            assertThat(psql.number("select count(*) from postrider.dead_letter"))
                    .isZero();
            assertThat(handled)
                    .hasSize(4)
                    .allSatisfy((what, count) -> assertThat(count).as(what).isEqualTo(8 * AT_ONCE));
        }
    }

    private static Fate job(ClaimedJob job, Map<String, Integer> handled, List<String> repeated) {
        handled.merge("job " + job.type(), 1, Integer::sum);
        if (job.attempt() > 1) {
            repeated.add(job.type() + " " + job.position());
        }
        return Fate.done();
    }

    private static void emit(Node node) {
        for (int i = 0; i < AT_ONCE; i++) {
            node.emit(Event.of("orders", "t", "{}"));
            JobDesk.enqueue(node, Job.of("q", "plain", "{}"));
            JobDesk.enqueue(node, Job.of("q", "transactional", "{}"));
        }
    }

    private static void await(int round, Map<String, Integer> handled) {
        Await.until(
                "all of round " + round + " is handled",
                Duration.ofSeconds(60),
                () -> handled.size() == 4 && handled.values().stream().allMatch(count -> count >= round * AT_ONCE));
    }
}

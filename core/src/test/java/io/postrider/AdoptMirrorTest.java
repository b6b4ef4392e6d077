package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Adoption;
import io.postrider.admin.Adoptions;
import io.postrider.admin.Adoptions.Rows;
import io.postrider.admin.Adoptions.State;
import io.postrider.admin.Adoptions.Step;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What Postrider has finished is written back to the old table, and each step can be undone without a loss. */
@Migrated
@Tag("slow")
class AdoptMirrorTest {
    @Test
    void a_node_writes_back_what_the_listeners_have_finished_and_what_has_failed(TestDatabase database) {
        try (Node node = new Node(database)) {
            node.execute(AdoptTables.STATUS.create);
            for (int i = 1; i <= 3; i++) {
                node.execute(AdoptTables.STATUS.insert("k", i));
            }
            Adoptions adoptions = node.postrider.adoptions();
            adoptions.bridge(AdoptTables.STATUS.adoption());
            adoptions.importRows("event_outbox", Rows.ALL, false, p -> {});
            adoptions.mirror("event_outbox", null);
            node.with(Listener.relay("mail", "t", event -> {
                        if (Objects.requireNonNull(event.payload()).contains("\"n\": 2")) {
                            throw new IllegalStateException("no such address");
                        }
                    })
                    .withAttempts(1));
            String states = "select count(*) from event_outbox where status = '%s'";
            Await.until(
                    "mirrored",
                    () -> node.number(states.formatted("published")) == 2
                            && node.number(states.formatted("failed")) == 1);
            assertThat(node.number("select count(*) from event_outbox where published_at is not null"))
                    .isEqualTo(2);
            assertThat(node.number("select count(*) from event_outbox where status = 'failed' and retry_count = 1"
                            + " and last_error like '%no such address%' and published_at is null"))
                    .isEqualTo(1);
            node.execute(AdoptTables.STATUS.insert("k", 4));
            Await.until("a new row too", () -> node.number(states.formatted("published")) == 3);
            assertThat(adoptions.status("event_outbox").agrees()).isFalse(); // the failed row is done here only
            adoptions.undo(Step.MIRROR, "event_outbox");
            assertThat(adoptions.status("event_outbox").mirror()).isFalse();
        }
    }

    @Test
    void the_mirror_of_one_listener_waits_for_it_alone_and_deletes_as_the_publisher_did(TestDatabase database) {
        try (Node node = new Node(database)) {
            node.execute(AdoptTables.DELETE.create);
            node.with(Listener.relay("mail", "t", event -> {}), Listener.relay("slow", "t", event -> {
                throw new IllegalStateException("not yet");
            }));
            Adoptions adoptions = node.postrider.adoptions();
            adoptions.bridge(AdoptTables.DELETE.adoption());
            node.execute(AdoptTables.DELETE.insert("k", 1));
            node.awaitCursor("mail", 1);
            assertThat(adoptions.mirror("outbox_events", null).counts()).containsEntry("written", 0L);
            assertThat(node.number("select count(*) from outbox_events")).isEqualTo(1);
            adoptions.mirror("outbox_events", "mail");
            Await.until("deleted", () -> node.number("select count(*) from outbox_events") == 0);
        }
    }

    @Test
    void outcomes_of_jobs_are_written_back_and_undo_leaves_the_others_to_the_old_workers(TestDatabase database) {
        try (Node node = new Node(database)) {
            node.execute(AdoptTables.JOBS.create);
            for (int i = 1; i <= 3; i++) {
                node.execute(AdoptTables.JOBS.insert("k", i));
            }
            Adoptions adoptions = node.postrider.adoptions();
            adoptions.bridge(AdoptTables.JOBS.adoption());
            adoptions.importRows("enrichment_outbox", Rows.UNFINISHED, false, p -> {});
            adoptions.mirror("enrichment_outbox", null);
            node.postrider
                    .add(Worker.on("q")
                            .handling(
                                    "enrichment_outbox",
                                    job -> job.payload().contains("2") ? Fate.dead("no such item") : Fate.done()))
                    .start();
            Await.until(
                    "mirrored",
                    () -> node.number("select count(*) from enrichment_outbox where status = 'DONE'") == 2
                            && node.number("select count(*) from enrichment_outbox where status = 'FAILED'"
                                            + " and last_error = 'no such item' and attempt_count = 1")
                                    == 1);
            node.postrider.queues().pause("q");
            node.execute(AdoptTables.JOBS.insert("k", 4));
            Adoptions.Result undone = adoptions.undo(Step.BRIDGE, "enrichment_outbox");
            assertThat(undone.counts()).containsEntry("cancelled", 1L);
            assertThat(node.number("select count(*) from enrichment_outbox where status = 'PENDING'"))
                    .as("left to the old workers")
                    .isEqualTo(1);
            adoptions.bridge(AdoptTables.JOBS.adoption());
            assertThat(adoptions
                            .importRows("enrichment_outbox", Rows.UNFINISHED, false, p -> {})
                            .counts())
                    .containsEntry("imported", 1L);
            node.postrider.queues().resume("q");
            Await.until(
                    "done at last",
                    () -> node.number("select count(*) from enrichment_outbox where status = 'DONE'") == 3);
        }
    }

    @Test
    void each_step_is_undone_and_repeated_without_a_loss_or_a_repeat(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            psql.execute(AdoptTables.FLAG.create).execute(insert("a"));
            Adoptions adoptions = node.postrider.adoptions();
            adoptions.bridge(AdoptTables.FLAG.adoption());
            psql.execute(insert("b"));
            assertThat(adoptions.undo(Step.BRIDGE, "outbox").counts()).containsEntry("dropped", 1L);
            psql.execute(insert("c"));
            assertThat(psql.number("select count(*) from postrider.event")).isZero();
            adoptions.bridge(AdoptTables.FLAG.adoption());
            psql.execute(insert("d"));
            adoptions.importRows("outbox", Rows.ALL, false, p -> {});
            psql.execute(insert("e"));
            assertThat(adoptions.undo(Step.IMPORT, "outbox").state()).isEqualTo(State.HOLDING);
            psql.execute(insert("f"));
            adoptions.importRows("outbox", Rows.ALL, false, p -> {});
            adoptions.dryRun().finish("outbox", false);
            psql.execute(insert("g"));
            adoptions.finish("outbox", false);
            psql.execute(insert("h"));
            adoptions.undo(Step.FINISH, "outbox");
            psql.execute(insert("i"));
            adoptions.importRows("outbox", Rows.ALL, false, p -> {});
            psql.execute(insert("j")).passAll();
            assertThat(psql.log("t")).containsExactly("a", "b", "c", "d", "e", "f", "g", "h", "i", "j");
            assertThat(psql.number("select count(*) from outbox")).isEqualTo(10);
        }
    }

    @Test
    void a_listener_starts_after_what_the_old_consumer_has_finished_or_with_everything(TestDatabase database) {
        try (Node node = new Node(database)) {
            node.execute(AdoptTables.FLAG.create);
            for (String type : List.of("a", "b", "c")) {
                node.execute(insert(type));
            }
            node.execute("update outbox set processed_at = now() where event_type in ('a', 'b')");
            Adoptions adoptions = node.postrider.adoptions();
            adoptions.bridge(AdoptTables.FLAG.adoption());
            adoptions.importRows("outbox", Rows.ALL, false, p -> {});
            assertThat(adoptions.afterFinished("outbox").position()).isEqualTo(3);
            node.execute("update outbox set processed_at = now()");
            assertThat(adoptions.afterFinished("outbox").position()).isEqualTo(4);
        }
    }

    @Test
    void new_rows_only(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            psql.execute(AdoptTables.FLAG.create).execute(insert("old"));
            Adoptions adoptions = node.postrider.adoptions();
            adoptions.bridge(Adoption.of("outbox").withTopic("t").withNewOnly(true));
            psql.execute(insert("new")).passAll();
            assertThat(psql.log("t")).containsExactly("new");
            assertThat(adoptions.status("outbox").notAdopted()).isEqualTo(1);
        }
    }

    private static String insert(String type) {
        return "insert into outbox (event_type, payload) values ('" + type + "', '{}')";
    }
}

package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Log;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Reading along without a name. */
@Migrated
class TopicSubscriptionTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    /** Writes down what it is told: types, and a change as its position. */
    private static final class Notes implements Log.Follower {
        final List<String> all = new CopyOnWriteArrayList<>();

        @Override
        public void read(List<LogEvent> events) {
            events.forEach(event -> all.add(event.position() + " " + event.type()));
        }

        @Override
        public void changed(long position) {
            all.add("changed " + position);
        }
    }

    @Test
    void the_first_event_of_an_empty_log_is_not_reported_as_a_changed_log(TestDatabase database) {
        Notes notes = new Notes();
        try (Node node = new Node(database).with()) {
            node.postrider.log().follow("orders", 0, notes);
            node.emit(Event.of("orders", "a", "{}"));
            node.emit(Event.of("orders", "b", "{}"));
            Await.until("both are read", LONG, () -> notes.all.size() >= 2);
            assertThat(notes.all).containsExactly("1 a", "2 b");
        }
    }

    @Test
    void after_a_new_era_following_continues_at_the_last_common_position(TestDatabase database) {
        Notes notes = new Notes();
        try (Node node = new Node(database).with();
                Psql psql = new Psql(database)) {
            psql.emitMany("orders", "before", 10);
            node.postrider.log().follow("orders", 6, notes);
            Await.until("read", LONG, () -> notes.all.size() == 4);
            loseAllAfter(psql, 8);
            node.execute("select pg_terminate_backend(" + node.leaderPid() + ")");
            psql.emitMany("orders", "after", 1);

            Await.until("read on", LONG, () -> notes.all.contains("9 after1"));
            assertThat(notes.all)
                    .containsExactly("7 before7", "8 before8", "9 before9", "10 before10", "changed 8", "9 after1");
        }
    }

    @Test
    void deleted_positions_are_skipped_without_waiting(TestDatabase database) {
        Notes notes = new Notes();
        try (Node node = new Node(database).with();
                Psql psql = new Psql(database)) {
            psql.emitMany("orders", "t", 10);
            Await.until("they have positions", LONG, () -> node.postrider.log().head("orders") == 10);
            psql.execute("delete from postrider.log where position <= 7")
                    .execute("insert into postrider.forgotten values ('orders', 7)");

            node.postrider.log().follow("orders", 2, notes);

            Await.until("the rest is read", LONG, () -> notes.all.size() >= 3);
            assertThat(notes.all).containsExactly("8 t8", "9 t9", "10 t10");
        }
    }

    @Test
    void events_read_before_following_are_compared_as_well(TestDatabase database) {
        Notes notes = new Notes();
        try (Node node = new Node(database).with();
                Psql psql = new Psql(database)) {
            psql.emitMany("orders", "before", 10);
            Await.until("they have positions", LONG, () -> node.postrider.log().head("orders") == 10);
            node.postrider.log().follow("orders", 10, node.postrider.log().read("orders", 4, 100), notes);
            node.emit(Event.of("orders", "last", "{}"));
            Await.until("read", LONG, () -> notes.all.size() == 1);
            loseAllAfter(psql, 7);
            node.execute("select pg_terminate_backend(" + node.leaderPid() + ")");
            psql.emitMany("orders", "after", 1);

            Await.until("read on", LONG, () -> notes.all.contains("8 after1"));
            assertThat(notes.all).containsExactly("11 last", "changed 7", "8 after1");
        }
    }

    /** As on a standby that is promoted without the end of the log. */
    private static void loseAllAfter(Psql psql, int position) {
        psql.execute("delete from postrider.event e using postrider.log l"
                        + " where l.tx = e.tx and l.id = e.id and position > " + position)
                .execute("delete from postrider.log where position > " + position)
                .execute("delete from postrider.head")
                .execute("insert into postrider.head (topic, position, n) values ('orders', " + position + ", 1)")
                .execute("update postrider.era set timeline = '0000CAFE'");
    }
}

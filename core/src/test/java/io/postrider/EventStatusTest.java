package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The view event_status for listeners that do not want every event: not_wanted, and never published. */
@PostgresTest
class EventStatusTest {
    private final TestDatabase database;
    private Node node;
    private Psql psql;

    EventStatusTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void start() {
        node = start(List.of());
        psql = new Psql(database);
    }

    private Node start(List<Listener> listeners) {
        Node started = new Node(database, options -> options.withPoll(Duration.ofMillis(50)));
        listeners.forEach(started.postrider::add);
        started.postrider.start();
        return started;
    }

    @AfterEach
    void stop() {
        psql.close();
        node.close();
    }

    private List<String> statuses(String listener) {
        return psql.texts(
                "select position || ' ' || status || ' ' || state || ' ' || (published_at is not null)"
                        + " from postrider.event_status where listener = ? order by position",
                listener);
    }

    private static Listener all(String name) {
        return Listener.relayBatch(name, "orders", events -> {});
    }

    private void emit(String... types) {
        long before = psql.number("select coalesce(max(position), 0) from postrider.log where topic = 'orders'");
        psql.emit("orders", types);
        Await.until(
                "they have positions",
                () -> psql.number("select coalesce(max(position), 0) from postrider.log where topic = 'orders'")
                        == before + types.length);
    }

    @Test
    void events_from_before_the_start_of_a_listener_are_not_wanted() {
        emit("a", "a");
        node.postrider.add(all("late"));
        emit("a");
        node.awaitCursor("late", 3);
        assertThat(statuses("late"))
                .containsExactly(
                        "1 not_wanted not_wanted false", "2 not_wanted not_wanted false", "3 published delivered true");
    }

    @Test
    void types_that_a_listener_filters_out_are_not_wanted_before_and_after_its_cursor() {
        node.postrider.add(all("filtering").withTypes("a", "c"));
        emit("a", "b", "c");
        node.awaitCursor("filtering", 3);
        node.pause("filtering");
        emit("b", "a");
        assertThat(statuses("filtering"))
                .containsExactly(
                        "1 published delivered true",
                        "2 not_wanted not_wanted false",
                        "3 published delivered true",
                        "4 not_wanted not_wanted false",
                        "5 pending pending false");
    }

    @Test
    void a_changed_filter_applies_from_the_cursor_on() {
        node.postrider.add(all("changing").withTypes("a"));
        emit("a", "b");
        node.awaitCursor("changing", 2);
        node.close();
        node = start(List.of(all("changing").withTypes("b")));
        emit("a", "b");
        node.awaitCursor("changing", 4);
        node.close();
        node = start(List.of(all("changing").withTypes("b"))); // the same again records nothing
        assertThat(statuses("changing"))
                .containsExactly(
                        "1 published delivered true",
                        "2 not_wanted not_wanted false",
                        "3 not_wanted not_wanted false",
                        "4 published delivered true");
        assertThat(psql.number("select count(*) from postrider.listener_filter where listener = 'changing'"))
                .isEqualTo(2);
    }

    @Test
    void a_reset_forward_skips_and_a_reset_backward_wants_again() {
        node.postrider.add(all("moved").withStart(StartPoint.beginning()));
        emit("a");
        node.awaitCursor("moved", 1);
        node.pause("moved");
        emit("a", "a");
        node.postrider.reset("moved", StartPoint.end());
        assertThat(statuses("moved"))
                .containsExactly(
                        "1 published delivered true", "2 not_wanted not_wanted false", "3 not_wanted not_wanted false");
        node.postrider.reset("moved", StartPoint.position(3));
        assertThat(statuses("moved"))
                .containsExactly(
                        "1 published delivered true", "2 not_wanted not_wanted false", "3 pending pending false");
        node.postrider.reset("moved", StartPoint.beginning());
        assertThat(statuses("moved")).allMatch(status -> status.contains("pending pending"));
        node.postrider.resume("moved");
        node.awaitCursor("moved", 3);
        assertThat(statuses("moved")).allMatch(status -> status.contains("published delivered true"));
    }

    @Test
    void a_listener_of_projects_gets_only_their_events_and_the_others_are_not_wanted() {
        List<String> heard = new CopyOnWriteArrayList<>();
        node.postrider.add(
                Listener.relay("of-projects", "orders", event -> heard.add(String.valueOf(event.projectId())))
                        .withProjects("p1", "p2"));
        for (String project : List.of("p1", "p3", "p2")) {
            node.emit(Event.of("orders", "a", "{}").withProject(project));
        }
        node.emit(Event.of("orders", "a", "{}"));
        node.awaitCursor("of-projects", 4);
        assertThat(heard).containsExactly("p1", "p2");
        assertThat(statuses("of-projects"))
                .containsExactly(
                        "1 published delivered true",
                        "2 not_wanted not_wanted false",
                        "3 published delivered true",
                        "4 not_wanted not_wanted false");
    }

    @Test
    void projects_of_a_listener_are_refused_by_name() {
        assertThatThrownBy(() -> all("bad").withProjects("")).hasMessageContaining("projects must have 1..1024 bytes");
    }
}

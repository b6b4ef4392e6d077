package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.PostriderException.Kind;
import io.postrider.admin.Topics.Requirement;
import io.postrider.testkit.TestDatabase;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A topic can require project_id and user_id: an event without them is refused by name, however it is written. */
@Migrated
class RequiredFieldsTest {
    private final TestDatabase database;

    RequiredFieldsTest(TestDatabase database) {
        this.database = database;
    }

    private static Event event() {
        return Event.of("chat", "message", "{}");
    }

    @Test
    void an_event_without_a_required_field_is_refused_in_java_sql_and_by_a_plain_insert() {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            node.emit(event());
            node.postrider.topics().require(new Requirement("chat", true, true));
            assertThatThrownBy(() -> node.emit(event()))
                    .isInstanceOfSatisfying(
                            PostriderException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                    .hasMessageContaining("topic chat requires project_id and user_id");
            assertThatThrownBy(() ->
                            node.inTransaction(connection -> node.postrider.emit(connection, event().withProject("p"))))
                    .hasMessageContaining("topic chat requires user_id");
            assertThatThrownBy(() -> psql.emit("chat", "message"))
                    .hasMessageContaining("topic chat requires project_id and user_id");
            assertThatThrownBy(
                            () -> psql.execute("insert into postrider.event (topic, type, payload, user_id, project_id)"
                                    + " values ('other', 'a', '{}', null, null), ('chat', 'a', '{}', 'u', '')"))
                    .isInstanceOfSatisfying(
                            Psql.SqlFailure.class, e -> assertThat(e.state()).isEqualTo("23514"))
                    .hasMessageContaining("topic chat requires project_id");
            node.emit(event().withProject("p").withUser("u"));
            node.emit(Event.of("other", "a", "{}"));
            psql.passAll();
            assertThat(psql.log("chat")).hasSize(2);
            assertThat(psql.log("other")).hasSize(1);
        }
    }

    @Test
    void a_requirement_can_be_changed_and_removed_and_without_any_there_is_no_trigger() {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            node.postrider.topics().require(Requirement.none("chat").withUserId());
            node.postrider.topics().require(Requirement.none("rooms").withProjectId());
            assertThat(node.postrider.topics().requirements())
                    .containsExactly(new Requirement("chat", false, true), new Requirement("rooms", true, false));
            node.postrider.topics().require(Requirement.none("chat").withProjectId());
            node.emit(event().withProject("p"));
            assertThatThrownBy(() -> node.emit(event().withUser("u"))).hasMessageContaining("chat requires project_id");
            node.postrider.topics().require(Requirement.none("chat"));
            node.emit(event());
            node.postrider.topics().require(Requirement.none("rooms"));
            assertThat(node.postrider.topics().requirements()).isEmpty();
            assertThat(psql.number("select count(*) from pg_trigger where tgname = 'event_is_complete'"))
                    .isZero();
        }
    }

    @Test
    void segments_made_later_have_the_requirement() {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            node.postrider.topics().require(Requirement.none("chat").withUserId());
            psql.execute("select postrider.make_segments(1000, 1000)");
            psql.execute(
                    "select setval('postrider.event_ids', (select max(low) + 1 from postrider.segment where family = 'log'))");
            assertThatThrownBy(() -> node.emit(event())).hasMessageContaining("chat requires user_id");
        }
    }

    @Test
    void while_a_producer_is_open_it_waits_and_lets_others_emit() throws Exception {
        try (Node node = new Node(database);
                Psql open = new Psql(database);
                Psql other = new Psql(database)) {
            open.begin().emit("orders", "a");
            CompletableFuture<Void> required = CompletableFuture.runAsync(() ->
                    node.postrider.topics().require(Requirement.none("chat").withUserId()));
            other.execute("set lock_timeout = '2s'");
            for (int i = 0; i < 20; i++) {
                other.emit("orders", "b");
            }
            assertThat(required).isNotDone();
            open.commit();
            required.get(30, TimeUnit.SECONDS);
            assertThatThrownBy(() -> node.emit(event())).hasMessageContaining("chat requires user_id");
        }
    }

    @Test
    void a_malformed_topic_and_the_lane_of_a_queue_are_refused() {
        try (Node node = new Node(database)) {
            for (String topic : List.of("queue:mail", "a b", "")) {
                assertThatThrownBy(() -> node.postrider.topics().require(new Requirement(topic, true, false)))
                        .as(topic)
                        .isInstanceOfSatisfying(
                                PostriderException.class,
                                e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED));
            }
        }
    }
}

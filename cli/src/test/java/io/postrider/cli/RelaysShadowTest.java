package io.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.Postrider;
import io.postrider.PublishedMessage;
import io.postrider.PublishedQuery;
import io.postrider.RelayEpoch;
import io.postrider.SendResult;
import io.postrider.Sink;
import io.postrider.StartPoint;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The commands of shadow mode, with a node that runs a relay. */
@Migrated
class RelaysShadowTest {
    private final List<Long> arrived = new CopyOnWriteArrayList<>();
    private final List<PublishedMessage> published = new CopyOnWriteArrayList<>();
    private Shell shell;
    private Postrider node;

    private final class Shelf implements Sink {
        @Override
        public String describe() {
            return "a shelf in memory";
        }

        @Override
        public SendResult send(RelayEpoch epoch, List<LogEvent> events) {
            events.forEach(event -> arrived.add(event.position()));
            return SendResult.whole();
        }

        @Override
        public boolean readPublished(PublishedQuery query, Consumer<PublishedMessage> messages) {
            published.forEach(messages);
            return true;
        }

        @Override
        public String test() {
            return "three boards";
        }
    }

    @BeforeEach
    void start(TestDatabase database) {
        shell = new Shell(database);
        node = Postrider.on(database.dataSource())
                .add(Listener.relay("to-shelf", "orders", new Shelf()).withStart(StartPoint.beginning()))
                .start();
    }

    @AfterEach
    void stop() {
        node.close();
    }

    @Test
    void a_relay_is_put_into_shadow_compared_and_switched_to_live(TestDatabase database) throws Exception {
        emit(1);
        Await.until("it arrived", () -> arrived.size() == 1);
        Ran shadow = shell.ok("relays", "shadow", "to-shelf", "--json");
        assertThat(shadow.out()).isEqualTo("{\"name\":\"to-shelf\",\"mode\":\"shadow\",\"shadow_from\":2}\n");
        assertThat(shadow.err()).contains("to-shelf is in shadow mode from position 2 on");
        emit(3);
        awaitPosition(4);
        Await.until("it is shown", () -> shell.ok("relays", "list").out().contains("shadow"));
        assertThat(shell.ok("listeners", "--json").out())
                .contains("\"mode\":\"shadow\",\"shadow_from\":2,\"live_from\":null");

        List<LogEvent> events = node.log().read("orders", 1, 10);
        publish(events.get(0));
        publish(events.get(2));
        Ran compared = shell.run("relays", "compare", "to-shelf");
        assertThat(compared.code()).isEqualTo(ExitCode.FAILURE);
        assertThat(compared.lines().get(0))
                .isEqualTo("to-shelf compared with a shelf in memory: positions 2 to 4, 3 events");
        assertThat(compared.out()).containsPattern("missing +1 +3").containsPattern("extra +0");
        assertThat(shell.run("relays", "compare", "to-shelf", "--json").out())
                .contains(
                        "\"same\":false",
                        "\"missing\":{\"count\":1,\"examples\":[{\"position\":3,\"id\":\""
                                + events.get(1).id() + "\",\"detail\":null}]}",
                        "\"reordered\":{\"count\":0,\"examples\":[]}");
        published.clear();
        events.forEach(this::publish);
        assertThat(shell.ok("relays", "compare", "to-shelf", "--json").out()).contains("\"same\":true");

        Ran live = shell.ok("relays", "go-live", "to-shelf", "--json");
        assertThat(live.out()).isEqualTo("{\"name\":\"to-shelf\",\"live_from\":5}\n");
        emit(1);
        Await.until("it arrived", () -> arrived.equals(List.of(1L, 5L)));
    }

    @Test
    void a_table_and_another_listener_are_compared_and_go_live_takes_a_position(TestDatabase database)
            throws Exception {
        shell.ok("relays", "shadow", "to-shelf");
        emit(3);
        awaitPosition(3);
        try (var connection = database.dataSource().getConnection();
                var statement = connection.createStatement()) {
            statement.execute(
                    "create table public.event_outbox as select event_id as id, 'PUBLISHED' as status, payload,"
                            + " position as published_at from postrider.events where topic = 'orders'");
            statement.execute("update public.event_outbox set status = 'FAILED' where published_at = 2");
        }
        Ran compared = shell.run(
                "relays",
                "compare",
                "to-shelf",
                "--table",
                "event_outbox",
                "--published",
                "status=PUBLISHED,DONE",
                "--order",
                "published_at",
                "--payload",
                "payload");
        assertThat(compared.code()).isEqualTo(ExitCode.FAILURE);
        assertThat(compared.out()).containsPattern("missing +1 +2").containsPattern("different +0");
        node.add(Listener.relay("other", "orders", event -> {}).withStart(StartPoint.beginning()));
        Await.until(
                "the other is there",
                () -> node.listeners().list().stream()
                        .anyMatch(one -> one.name().equals("other") && one.position() == 3));
        assertThat(shell.ok("relays", "compare", "to-shelf", "--listener", "other")
                        .out())
                .containsPattern("reordered +0 +not compared");
        shell.ok("relays", "go-live", "to-shelf", "--at", "2");
        Await.until("it sends from there", () -> arrived.equals(List.of(2L, 3L)));
    }

    @Test
    void bad_input_is_refused_with_the_right_code(TestDatabase database) {
        assertRefused(ExitCode.NOT_FOUND, "no listener to-shelv", "relays", "shadow", "to-shelv");
        assertRefused(ExitCode.NOT_FOUND, "to-shelf", "relays", "go-live", "to-shelv");
        assertRefused(ExitCode.CONFLICT, "to-shelf is not in shadow mode", "relays", "go-live", "to-shelf");
        assertRefused(ExitCode.CONFLICT, "to-shelf is not in shadow mode", "relays", "compare", "to-shelf");
        assertRefused(ExitCode.USAGE, "position must be at least 1", "relays", "go-live", "to-shelf", "--at", "0");
        assertRefused(ExitCode.USAGE, "--wait must be a time", "relays", "shadow", "to-shelf", "--wait", "soon");
        assertRefused(ExitCode.USAGE, "need --table", "relays", "compare", "to-shelf", "--order", "at");
        assertRefused(
                ExitCode.USAGE,
                "one of --table, --listener and --place",
                "relays",
                "compare",
                "to-shelf",
                "--table",
                "a",
                "--listener",
                "b");
        assertRefused(ExitCode.USAGE, "id place must be", "relays", "compare", "to-shelf", "--id-place", "event_id");
    }

    private void assertRefused(int code, String text, String... arguments) {
        Ran ran = shell.run(arguments);
        assertThat(ran.err()).contains(text);
        assertThat(ran.code()).isEqualTo(code);
    }

    private void emit(int count) {
        for (int i = 0; i < count; i++) {
            shell.ok("emit", "orders", "order.placed");
        }
    }

    private void publish(LogEvent event) {
        published.add(new PublishedMessage("", Map.of("id", event.id().toString()), event.payload()));
    }

    private void awaitPosition(long position) {
        Await.until("recorded", () -> node.listeners().list().get(0).position() == position);
    }
}

package io.postrider.livechat;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The counter sees what is wrong, too; else its "nothing lost, nothing twice" would mean nothing. */
@PostgresTest
@Tag("security")
class LedgerTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Guest VISITOR = new Guest("v-1", LiveChat.PROJECT, false);

    @Test
    void what_is_queued_is_on_the_way_and_what_is_saved_has_a_row_an_event_and_a_position(TestDatabase database)
            throws Exception {
        try (Node taking = Node.taking(database)) {
            Ledger.Promise promise = promise(taking, "client-01");
            Ledger.Entry waiting = look(taking, promise);
            assertThat(waiting.saved()).isZero();
            assertThat(waiting.lost()).isFalse();
            try (Node working = Node.working(database)) {
                Await.until(
                        "it is saved and has its position",
                        LONG,
                        () -> look(working, promise).position() != null);
                assertThat(look(working, promise)).isEqualTo(new Ledger.Entry("client-01", 1, 1, 1L, false));
            }
        }
    }

    @Test
    void a_message_that_vanished_is_lost(TestDatabase database) throws Exception {
        try (Node node = Node.working(database)) {
            Ledger.Promise promise = promise(node, "client-01");
            Await.until("it is answered", LONG, () -> node.count("livechat.message") == 2);
            node.run("delete from livechat.message where answers is not null");
            node.run("delete from livechat.message");
            Ledger.Entry entry = look(node, promise);
            assertThat(entry.saved()).isZero();
            assertThat(entry.lost()).isTrue();
        }
    }

    @Test
    void one_that_was_refused_for_good_is_lost(TestDatabase database) throws Exception {
        try (Node node = Node.taking(database)) {
            Ledger.Promise promise = promise(node, "client-01");
            node.postrider.jobs().cancel(java.util.UUID.fromString(promise.receipt()), "to see what the ledger says");
            assertThat(look(node, promise).lost()).isTrue();
        }
    }

    @Test
    void an_event_that_was_emitted_twice_is_counted_twice(TestDatabase database) throws Exception {
        try (Node node = Node.working(database)) {
            Ledger.Promise promise = promise(node, "client-01");
            Await.until("it is told", LONG, () -> node.postrider.log().head("chat") >= 1);
            node.run("select postrider.emit('chat', 'message:created', (select payload from postrider.events"
                    + " where topic = 'chat' and position = 1))");
            Await.until("it counts two", LONG, () -> look(node, promise).emitted() == 2);
        }
    }

    @Test
    void another_visitors_message_is_not_ones_own(TestDatabase database) throws Exception {
        try (Node node = Node.working(database)) {
            Ledger.Promise promise = promise(node, "client-01");
            Await.until("it is saved", LONG, () -> look(node, promise).saved() == 1);
            Guest other = new Guest("v-2", LiveChat.PROJECT, false);
            Ledger ledger = new Ledger(node.pool, node.ingestion);
            assertThat(ledger.look(other, List.of(promise), 0).get(0).saved()).isZero();
        }
    }

    @Test
    void five_hundred_unknown_receipts_are_looked_up_together(TestDatabase database) throws Exception {
        try (Node node = Node.taking(database)) {
            AtomicInteger connections = new AtomicInteger();
            DataSource counting = counting(node.pool, connections);
            LiveChat chat =
                    LiveChat.on(Postrider.on(counting, Options.defaults().withNode("counted")), counting);
            List<Ledger.Promise> invented = IntStream.range(0, 500)
                    .mapToObj(i -> new Ledger.Promise(
                            "invented-" + i, UUID.randomUUID().toString()))
                    .toList();
            List<Ledger.Promise> promises = new ArrayList<>(invented);
            promises.add(promise(node, "client-01"));
            List<Ledger.Entry> entries = new Ledger(counting, chat.ingestion()).look(VISITOR, promises, 0);
            assertThat(entries).hasSize(501);
            assertThat(entries)
                    .filteredOn(entry -> !entry.lost())
                    .extracting(Ledger.Entry::id)
                    .containsExactly("client-01");
            assertThat(connections).hasValue(3);
        }
    }

    private static DataSource counting(DataSource pool, AtomicInteger connections) {
        return (DataSource) Proxy.newProxyInstance(
                LedgerTest.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getConnection")) {
                        connections.incrementAndGet();
                    }
                    return method.invoke(pool, arguments);
                });
    }

    private static Ledger.Promise promise(Node node, String client) {
        return new Ledger.Promise(client, node.queue(Node.visitorSays("v-1", client, "hello")));
    }

    private static Ledger.Entry look(Node node, Ledger.Promise promise) throws Exception {
        return new Ledger(node.pool, node.ingestion)
                .look(VISITOR, List.of(promise), 0)
                .get(0);
    }
}

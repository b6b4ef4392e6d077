package io.postrider.gateway;

import static io.postrider.gateway.MemoryLog.TOPIC;
import static io.postrider.gateway.MemoryLog.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.LogEvent;
import io.postrider.MessageFormat;
import io.postrider.gateway.internal.frames.FrameEncoder;
import io.postrider.gateway.internal.hub.Subscriber;
import io.postrider.testkit.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** How a hub brings people up to date and lets go of them, one case at a time; the storm has them all at once. */
class HubTest {
    private static final Set<Room> P1 = Set.of(Room.project("p1"));

    private final MemoryLog log = new MemoryLog();
    private final Counting watch = new Counting();

    private static final class Counting implements GatewayWatch {
        final AtomicInteger memory = new AtomicInteger();
        final AtomicInteger history = new AtomicInteger();
        final AtomicInteger snapshots = new AtomicInteger();
        final AtomicInteger overflows = new AtomicInteger();
        final List<DisconnectReason> closed = java.util.Collections.synchronizedList(new ArrayList<>());

        @Override
        public void replayedFromMemory(String topic, int events) {
            memory.addAndGet(events);
        }

        @Override
        public void replayedFromHistory(String topic, int events) {
            history.addAndGet(events);
        }

        @Override
        public void snapshotNeeded(String topic) {
            snapshots.incrementAndGet();
        }

        @Override
        public void overflowed(String topic, long queuedBytes) {
            overflows.incrementAndGet();
        }

        @Override
        public void closed(String topic, Transport.Form form, DisconnectReason reason) {
            closed.add(reason);
        }
    }

    private GatewayOptions options() {
        return GatewayOptions.of(TOPIC).withWatch(watch);
    }

    private Hub open(GatewayOptions options) {
        Hub hub = Hub.open(log, log, options);
        Await.until("the hub is ready", hub::isReady);
        return hub;
    }

    private static Identity agent() {
        return new Identity("agent", "p1", Identity.Reach.PROJECT, null, Instant.MAX);
    }

    private static List<LogEvent> events(long from, long to) {
        return LongStream.rangeClosed(from, to)
                .mapToObj(position -> event(position, "p1", "ann"))
                .toList();
    }

    private static List<Long> positions(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed().toList();
    }

    private Reader join(Hub hub, Long position) {
        return new Reader().join(hub, agent(), TOPIC, position, P1);
    }

    @Test
    void without_a_position_a_stream_starts_now_and_receives_its_position() throws Exception {
        log.append(events(1, 5));
        try (Hub hub = open(options())) {
            Reader reader = join(hub, null);
            assertThat(reader.await("position").position()).isEqualTo(5);
            log.append(events(6, 7));
            reader.awaitPosition(7);
            assertThat(reader.positions()).containsExactly(6L, 7L);
        }
    }

    @Test
    void recent_events_come_from_memory() throws Exception {
        log.append(events(1, 100));
        try (Hub hub = open(options())) {
            Reader reader = join(hub, 40L);
            reader.awaitPosition(100);
            assertThat(reader.positions()).isEqualTo(positions(41, 100));
            Await.until("they are counted", () -> watch.memory.get() == 60); // after they were sent
            assertThat(log.pages).hasValue(0);
        }
    }

    @Test
    void old_events_come_from_history_in_pages_and_join_the_live_stream() throws Exception {
        log.append(events(1, 1_000));
        try (Hub hub = open(options().withRecent(50, 1 << 20).withHistory(30, 2))) {
            Reader reader = join(hub, 0L);
            for (int i = 1_001; i <= 1_200; i++) {
                log.append(events(i, i));
            }
            reader.awaitPosition(1_200);
            assertThat(reader.positions()).isEqualTo(positions(1, 1_200));
            assertThat(watch.history.get()).isGreaterThanOrEqualTo(950);
        }
    }

    @Test
    void a_reader_that_lacks_more_than_its_outbox_holds_gets_it_at_its_own_pace() throws Exception {
        log.append(events(1, 5_000));
        try (Hub hub = open(options().withRecent(3_000, 100 << 20).withOutbox(1 << 20, 16))) {
            Reader reader = new Reader();
            reader.stall(true);
            reader.join(hub, agent(), TOPIC, 0L, P1);
            log.append(events(5_001, 5_100));
            Await.until("the hub has them", () -> hub.reached(TOPIC) == 5_100);
            reader.stall(false);
            reader.awaitPosition(5_100);
            assertThat(reader.positions()).isEqualTo(positions(1, 5_100));
            assertThat(watch.overflows).hasValue(0);
        }
    }

    @Test
    void a_read_model_that_lags_is_waited_for() throws Exception {
        log.append(events(1, 500));
        log.lag = 500;
        try (Hub hub = open(options().withRecent(10, 1 << 20))) {
            Reader reader = join(hub, 100L);
            Await.until("it was asked and had nothing", () -> hub.connections() == 1);
            log.lag = 300;
            Await.until("it was read as far as it had come", () -> log.pages.get() > 0);
            log.lag = 0;
            reader.awaitPosition(500);
            assertThat(reader.positions()).isEqualTo(positions(101, 500));
        }
    }

    @Test
    void a_stuck_read_model_disconnects_clients_with_their_position() throws Exception {
        log.append(events(1, 500));
        log.lag = 450;
        try (Hub hub = open(options().withRecent(10, 1 << 20).withCatchUp(Duration.ofMillis(300)))) {
            Frame cut = join(hub, 100L).await("cut");
            assertThat(cut.text()).isEqualTo("{\"type\":\"cut\",\"reason\":\"behind\",\"position\":100}");
        }
    }

    @Test
    void a_read_model_that_fails_for_a_while_is_asked_again() throws Exception {
        log.append(events(1, 500));
        log.failing = true;
        try (Hub hub = open(options().withRecent(10, 1 << 20))) {
            Reader reader = join(hub, 100L);
            Reader live = join(hub, null);
            live.await("position");
            log.append(events(501, 501));
            live.awaitPosition(501);
            Await.until("it failed, by an error too", () -> log.failures.get() > 2);
            log.failing = false;
            reader.awaitPosition(501);
            assertThat(reader.positions()).isEqualTo(positions(101, 501));
        }
    }

    @Test
    void a_position_that_is_no_longer_kept_needs_a_snapshot() throws Exception {
        log.append(events(1, 500));
        log.oldest = 300;
        try (Hub hub = open(options().withRecent(10, 1 << 20))) {
            Reader gone = join(hub, 298L);
            assertThat(gone.await("snapshot").text())
                    .isEqualTo("{\"type\":\"snapshot\",\"oldest\":300,\"position\":500}");
            Reader kept = join(hub, 299L);
            kept.awaitPosition(500);
            assertThat(kept.positions()).isEqualTo(positions(300, 500));
            log.append(events(501, 502));
            gone.awaitPosition(502);
            assertThat(gone.positions()).containsExactly(501L, 502L);
            assertThat(watch.snapshots).hasValue(1);
        }
    }

    @Test
    void a_position_that_never_was_needs_a_snapshot() throws Exception {
        log.append(events(1, 20));
        try (Hub hub = open(options())) {
            Reader reader = join(hub, 700L);
            assertThat(reader.await("snapshot").text())
                    .isEqualTo("{\"type\":\"snapshot\",\"oldest\":1,\"position\":20}");
            log.append(events(21, 21));
            reader.awaitPosition(21);
            assertThat(reader.positions()).containsExactly(21L);
        }
    }

    @Test
    void a_client_from_a_faster_gateway_gets_no_duplicates() throws Exception {
        log.append(events(1, 20));
        try (Hub hub = open(options())) {
            log.appendQuietly(events(21, 30));
            Reader reader = join(hub, 25L);
            assertThat(reader.await("position").position()).isEqualTo(25);
            log.hand(events(21, 30));
            reader.awaitPosition(30);
            assertThat(reader.positions()).isEqualTo(positions(26, 30));
            assertThat(watch.snapshots).hasValue(0);
        }
    }

    @Test
    void clients_ahead_of_a_replaced_log_are_notified() throws Exception {
        log.append(events(1, 100));
        try (Hub hub = open(options())) {
            Reader reader = join(hub, null);
            reader.await("position");
            log.append(events(101, 110));
            reader.awaitPosition(110);
            log.change(105);
            Frame snapshot = reader.await("snapshot");
            assertThat(snapshot.position()).isEqualTo(105);
            log.append(events(106, 108));
            reader.await(
                    "the new 108 after the snapshot",
                    frame -> reader.frames().indexOf(frame) > reader.frames().indexOf(snapshot)
                            && frame.position() == 108);
            assertThat(reader.positions())
                    .containsExactly(101L, 102L, 103L, 104L, 105L, 106L, 107L, 108L, 109L, 110L, 106L, 107L, 108L);
        }
    }

    @Test
    void a_feed_with_a_gap_disconnects_every_client() throws Exception {
        log.append(events(1, 10));
        try (Hub hub = open(options())) {
            Reader reader = join(hub, null);
            reader.await("position");
            log.appendQuietly(events(11, 15));
            log.append(events(16, 16));
            Frame cut = reader.await("cut");
            assertThat(cut.text()).isEqualTo("{\"type\":\"cut\",\"reason\":\"closing\",\"position\":10}");
            Reader back = join(hub, cut.position());
            back.awaitPosition(16);
            assertThat(back.positions()).isEqualTo(positions(11, 16));
        }
    }

    @Test
    void events_that_were_handed_over_before_are_passed_over() throws Exception {
        log.append(events(1, 10));
        try (Hub hub = open(options())) {
            Reader reader = join(hub, 5L);
            reader.awaitPosition(10);
            log.hand(events(3, 10));
            log.append(events(11, 11));
            reader.awaitPosition(11);
            assertThat(reader.positions()).isEqualTo(positions(6, 11));
        }
    }

    @Test
    void a_client_that_does_not_read_is_cut_with_its_last_position() throws Exception {
        log.append(events(1, 10));
        try (Hub hub = open(options().withOutbox(1 << 20, 20))) {
            Reader slow = join(hub, null);
            Reader quick = join(hub, null);
            slow.await("position");
            log.append(events(11, 15));
            slow.awaitPosition(15);
            slow.stall(true);
            for (int i = 16; i <= 96; i += 5) {
                log.append(events(i, i + 4));
                quick.awaitPosition(i + 4);
            }
            Await.until("it was cut", () -> watch.overflows.get() == 1);
            slow.stall(false);
            assertThat(slow.await("cut").text()).isEqualTo("{\"type\":\"cut\",\"reason\":\"slow\",\"position\":15}");
            assertThat(slow.positions()).isEqualTo(positions(11, 15));
            assertThat(quick.positions()).isEqualTo(positions(11, 100));
            Await.until("it is gone", () -> watch.closed.contains(DisconnectReason.SLOW));
            Await.until("its place is free", () -> hub.connections() == 1);
        }
    }

    @Test
    void a_client_that_reads_nothing_is_cut_after_the_send_timeout() throws Exception {
        log.append(events(1, 10));
        try (Hub hub = open(options().withSendTimeout(Duration.ofMillis(300)))) {
            Reader slow = join(hub, null);
            slow.await("position");
            slow.stall(true);
            log.append(events(11, 11));
            Await.until("the hub has it", () -> hub.reached(TOPIC) == 11);
            Await.until("it was cut", () -> slow.subscriber().state == Subscriber.State.CUT);
            slow.stall(false);
            assertThat(slow.await("cut").text()).contains("\"slow\"", "\"position\":10");
        }
    }

    @Test
    void a_frame_larger_than_the_outbox_is_sent_all_the_same() throws Exception {
        try (Hub hub = open(options().withOutbox(2_000, 100).withRecent(2, 1024))) {
            List<LogEvent> large = new ArrayList<>();
            for (int i = 1; i <= 20; i++) {
                LogEvent small = event(i, "p1", "ann");
                large.add(new LogEvent(
                        TOPIC,
                        i,
                        small.id(),
                        "said",
                        "\"" + "x".repeat(5_000) + "\"",
                        null,
                        "p1",
                        "ann",
                        null,
                        null,
                        "{}",
                        Instant.EPOCH));
            }
            log.append(large);
            Await.until("the hub has them", () -> hub.reached(TOPIC) == 20);
            Reader reader = join(hub, 0L);
            reader.awaitPosition(20);
            assertThat(reader.positions()).isEqualTo(positions(1, 20));
        }
    }

    @Test
    void what_a_read_model_gives_by_mistake_is_not_handed_on() throws Exception {
        log.append(events(1, 100));
        History leaking = new History() {
            @Override
            public Page page(Identity who, Set<Room> rooms, Stretch stretch) {
                long after = stretch.after();
                List<LogEvent> events = List.of(
                        event(after + 1, "p1", "ann"), event(after + 2, "p2", "ann"), event(after + 3, null, "bob"));
                return new Page(events, stretch.upto());
            }

            @Override
            public long oldest(String topic) {
                return 1;
            }

            @Override
            public long reached(String topic) {
                return 100;
            }
        };
        try (Hub hub = Hub.open(log, leaking, options().withRecent(5, 1 << 20).withHeartbeat(Duration.ofMillis(200)))) {
            Await.until("the hub is ready", hub::isReady);
            Reader reader = join(hub, 50L);
            reader.awaitPosition(100);
            assertThat(reader.positions()).startsWith(51L).doesNotContain(52L, 53L);
        }
    }

    @Test
    void one_event_is_encoded_once_for_all_of_a_form() throws Exception {
        try (Hub hub = open(options())) {
            Reader one = join(hub, null);
            Reader two = join(hub, null);
            Reader sse = new Reader(Transport.Form.SSE).join(hub, agent(), TOPIC, null, P1);
            List.of(one, two, sse).forEach(Reader::awaitAny);
            log.append(events(1, 1));
            List.of(one, two, sse).forEach(reader -> reader.awaitPosition(1));
            assertThat(one.frames().get(1)).isSameAs(two.frames().get(1));
            assertThat(new String(sse.frames().get(1).bytes(), java.nio.charset.StandardCharsets.UTF_8))
                    .startsWith("id: 1\nevent: event\ndata: {\"specversion\":\"1.0\"")
                    .endsWith("}\n\n");
        }
    }

    @Test
    void a_line_break_in_a_payload_forges_no_frame() throws Exception {
        LogEvent plain = event(1, "p1", "ann");
        LogEvent broken = new LogEvent(
                TOPIC,
                1,
                plain.id(),
                "said",
                "{\"a\":\n\n1,\r\"id\": \"x\"}",
                null,
                "p1",
                "ann",
                null,
                null,
                "{}",
                Instant.EPOCH);
        String frame = new String(
                FrameEncoder.event(Transport.Form.SSE, broken, MessageFormat.CLOUD_EVENTS)
                        .bytes(),
                java.nio.charset.StandardCharsets.UTF_8);
        assertThat(frame.lines()).hasSize(4).last().asString().isEmpty();
        assertThat(frame).doesNotContain("\r");
    }

    @Test
    void a_watch_that_throws_affects_no_client() throws Exception {
        GatewayWatch throwing = new GatewayWatch() {
            @Override
            public void published(String topic, int connections) {
                throw new IllegalStateException("thrown by a watch");
            }
        };
        try (Hub hub = open(GatewayOptions.of(TOPIC).withWatch(throwing))) {
            Reader reader = join(hub, null);
            reader.await("position");
            log.append(events(1, 3));
            reader.awaitPosition(3);
            assertThat(reader.positions()).isEqualTo(positions(1, 3));
        }
    }

    @Test
    void connections_are_refused_before_the_feed_starts_and_after_close() throws Exception {
        Feed silent = new Feed() {
            @Override
            public void follow(String topic, int recent, Receiver receiver) {}

            @Override
            public long head(String topic) {
                return 0;
            }

            @Override
            public void close() {}
        };
        TokenMint mint = TokenMint.random("id", "hub");
        try (Gateway gateway = Gateway.of(mint.tokens(), Hub.open(silent, log, options()))) {
            assertThatThrownBy(gateway::arrive)
                    .isInstanceOfSatisfying(
                            Refusal.class,
                            refusal -> assertThat(refusal.status()).isEqualTo(503));
        }
        Gateway gateway = Gateway.of(mint.tokens(), open(options()));
        gateway.arrive().leave();
        assertThat(gateway.hub().connections()).isZero();
        gateway.close();
        assertThatThrownBy(gateway::arrive).isInstanceOf(Refusal.class);
    }

    @Test
    void a_feed_that_restarts_disconnects_every_client_and_continues() throws Exception {
        log.append(events(1, 10));
        try (Hub hub = open(options())) {
            Reader reader = join(hub, null);
            reader.await("position");
            log.appendQuietly(events(11, 12));
            log.beginAgain();
            assertThat(reader.await("cut").position()).isEqualTo(10);
            Reader back = join(hub, 10L);
            back.awaitPosition(12);
            assertThat(back.positions()).containsExactly(11L, 12L);
        }
    }

    @Test
    void a_closing_hub_does_not_wait_for_clients_that_do_not_read() throws Exception {
        Hub hub = open(options());
        Reader reader = join(hub, null);
        reader.await("position");
        Reader stuck = join(hub, null);
        stuck.await("position");
        stuck.stall(true);
        long began = System.nanoTime();
        hub.close();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(8));
        assertThat(reader.await("cut").text()).contains("closing");
    }
}

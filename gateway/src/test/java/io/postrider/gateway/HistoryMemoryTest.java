package io.postrider.gateway;

import static io.postrider.gateway.MemoryLog.TOPIC;
import static io.postrider.gateway.MemoryLog.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.LogEvent;
import io.postrider.gateway.Transport.Form;
import io.postrider.gateway.internal.frames.EncodedFrame;
import io.postrider.gateway.internal.frames.FrameEncoder;
import io.postrider.gateway.internal.limits.ConnectionLimits.Owner;
import io.postrider.gateway.internal.limits.HistoryMemory;
import io.postrider.testkit.Await;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Events that are read for streams that resume take bounded memory, which projects and subjects share. */
@Tag("security")
class HistoryMemoryTest {
    private static final Owner ANN = new Owner("p1", "ann");
    private static final Owner BOB = new Owner("p1", "bob");
    private static final Owner EVE = new Owner("p2", "eve");
    private static final int EVENTS = 200;

    private final MemoryLog log = new MemoryLog();

    @Test
    void a_subject_holds_a_quarter_at_most_and_a_project_half() {
        HistoryMemory memory = new HistoryMemory(800);
        assertThat(memory.tryHold(ANN, 150)).isTrue();
        assertThat(memory.tryHold(ANN, 51)).isFalse();
        assertThat(memory.tryHold(ANN, 50)).isTrue();
        assertThat(memory.tryHold(BOB, 200)).isTrue();
        assertThat(memory.tryHold(new Owner("p1", "cid"), 1)).isFalse();
        assertThat(memory.tryHold(EVE, 200)).isTrue();
        memory.hold(ANN, -200);
        memory.hold(BOB, -200);
        memory.hold(EVE, -200);
        assertThat(memory.bytes()).isZero();
        assertThat(memory.tryHold(ANN, 10_000)).as("nobody else holds anything").isTrue();
    }

    @Test
    void a_character_counts_as_two_bytes() {
        EncodedFrame frame = FrameEncoder.position(Form.WEBSOCKET, 7);
        assertThat(frame.size()).isEqualTo(2 * frame.text().length());
        EncodedFrame bytes = FrameEncoder.position(Form.SSE, 7);
        assertThat(bytes.size()).isEqualTo(bytes.bytes().length);
    }

    private Hub open() throws InterruptedException {
        Hub hub = Hub.open(
                log, log, GatewayOptions.of(TOPIC).withOutbox(64 * 1024, 1_000).withRecent(2, 1024));
        Await.until("the hub is ready", hub::isReady);
        List<LogEvent> events = new ArrayList<>();
        for (int i = 1; i <= EVENTS; i++) {
            LogEvent small = event(i, "p1", "ann");
            String payload = "\"" + "\u90f5".repeat(1_000) + "\"";
            events.add(new LogEvent(
                    TOPIC, i, small.id(), "said", payload, null, "p1", "ann", null, null, "{}", Instant.EPOCH));
        }
        log.append(events);
        Await.until("the hub has them", () -> hub.reached(TOPIC) == EVENTS);
        return hub;
    }

    private static Reader join(Hub hub, Reader reader) {
        Identity ann = new Identity("ann", "p1", Identity.Reach.PROJECT, null, Instant.MAX);
        return reader.join(hub, ann, TOPIC, 0L, Set.of(Room.project("p1")));
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void what_a_client_has_not_read_is_counted_until_it_has_or_is_gone(Form form) throws Exception {
        try (Hub hub = open()) {
            HistoryMemory memory = hub.core().historyMemory();
            Reader reads = new Reader(form);
            reads.stall(true);
            Reader leaves = new Reader(form);
            leaves.stall(true);
            join(hub, reads);
            join(hub, leaves);
            Await.until("both have history waiting", () -> memory.bytes() > 64 * 1024);
            leaves.leave();
            reads.stall(false);
            reads.await("the last event", frame -> frame.position() == EVENTS);
            Await.until("nothing is held", () -> memory.bytes() == 0);
        }
    }

    @Test
    void a_stream_waits_while_its_subject_holds_its_share() throws Exception {
        try (Hub hub = open()) {
            HistoryMemory memory = hub.core().historyMemory();
            long share = Runtime.getRuntime().maxMemory() / 32;
            memory.hold(ANN, share);
            Reader reader = join(hub, new Reader());
            Identity bob = new Identity("bob", "p1", Identity.Reach.PROJECT, null, Instant.MAX);
            Reader other = new Reader().join(hub, bob, TOPIC, 0L, Set.of(Room.project("p1")));
            other.awaitPosition(EVENTS);
            assertThat(reader.positions()).isEmpty();
            memory.hold(ANN, -share);
            reader.awaitPosition(EVENTS);
            assertThat(reader.positions()).hasSize(EVENTS);
        }
    }
}

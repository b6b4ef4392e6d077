package io.postrider.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.LogEvent;
import io.postrider.testkit.TestRun;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Clients, 100,000 in the full run, connect and disconnect while events are published: in turns from memory, from a read model
 * that lags, live, stalled, cut. Each of
 * them must get exactly the events of its rooms in its reach, once and in order, from its position to the last one it was
 * told of. Without a network, so that it is the hub that is tried. The seed is in the failure.
 */
@Tag("slow")
class HubStormTest {
    private static final int JOINS = TestRun.count(20_000, 100_000);
    private static final int DRIVERS = 4;
    private static final int CLIENTS = 20;
    private static final List<Identity.Reach> REACHES = List.of(Identity.Reach.values());

    private final long seed = TestRun.seed("HubStormTest");
    private final MemoryLog log = new MemoryLog();
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger joins = new AtomicInteger();
    private final AtomicInteger checked = new AtomicInteger();
    private final AtomicInteger cuts = new AtomicInteger();

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void each_client_gets_its_events_once_and_in_order() throws Exception {
        GatewayOptions options = GatewayOptions.of(MemoryLog.TOPIC)
                .withRecent(300, 10_000_000)
                .withOutbox(64 * 1024, 40)
                .withHeartbeat(Duration.ofMillis(100))
                .withHistory(20, 3)
                .withConnections(10_000, 10_000);
        ExecutorService threads = Executors.newCachedThreadPool();
        try (Hub hub = Hub.open(log, log, options)) {
            List<Future<Object>> running = new ArrayList<>();
            running.add(threads.submit(this::publish));
            List<Future<Object>> drivers = new ArrayList<>();
            for (int i = 0; i < DRIVERS; i++) {
                Random random = new Random(seed + i);
                drivers.add(threads.submit((Callable<Object>) () -> drive(hub, random)));
            }
            for (Future<Object> driver : drivers) {
                driver.get();
            }
            over.set(true);
            running.get(0).get();
            assertThat(hub.connections()).as("seed " + seed).isZero();
        } finally {
            over.set(true);
            threads.shutdownNow();
        }
        System.out.printf(
                "hub storm: %d joins, %d events checked, %d published, %d pages of history, %d cut, seed %d%n",
                joins.get(), checked.get(), log.head(""), log.pages.get(), cuts.get(), seed);
        assertThat(log.pages.get()).as("some came from history").isGreaterThan(100);
        assertThat(cuts.get()).as("some were cut").isPositive();
    }

    private Object publish() throws Exception {
        Random random = new Random(seed);
        while (!over.get()) {
            List<LogEvent> batch = new ArrayList<>();
            long head = log.head("");
            for (int i = 0; i <= random.nextInt(12); i++) {
                batch.add(MemoryLog.event(++head, pick(random, "p", 4), pick(random, "u", 6)));
            }
            log.lag = random.nextInt(60);
            log.append(batch);
            LockSupport.parkNanos(random.nextInt(600_000));
        }
        return true;
    }

    private static String pick(Random random, String prefix, int most) {
        int one = random.nextInt(most + 1);
        return one == most ? null : prefix + one;
    }

    private Object drive(Hub hub, Random random) throws Exception {
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(new Client(hub, random));
        }
        while (joins.get() < JOINS) {
            clients.get(random.nextInt(CLIENTS)).step();
        }
        for (Client client : clients) {
            client.end();
        }
        return true;
    }

    /** Somebody who comes, stays for a while, stalls now and then, leaves, and comes back with what it has. */
    private final class Client {
        private final Hub hub;
        private final Random random;
        private final Identity identity;
        private final Set<Room> rooms;
        private Long asked;
        private Reader reader;

        Client(Hub hub, Random random) {
            this.hub = hub;
            this.random = random;
            String user = "u" + random.nextInt(6);
            String project = "p" + random.nextInt(4);
            Identity.Reach reach = REACHES.get(random.nextInt(3));
            this.identity = new Identity(user, project, reach, null, Instant.MAX);
            this.rooms = reach == Identity.Reach.USER
                    ? Set.of(Room.user(user))
                    : random.nextBoolean()
                            ? Set.of(Room.project(project), Room.user(user))
                            : Set.of(Room.project(project));
        }

        void step() {
            if (reader == null) {
                joins.incrementAndGet();
                reader = new Reader().join(hub, identity, MemoryLog.TOPIC, asked, rooms);
                if (random.nextInt(4) > 0) { // the others leave before anybody has noticed that they came
                    reader.awaitAny();
                }
                return;
            }
            switch (random.nextInt(8)) {
                case 0 -> reader.stall(true);
                case 1, 2 -> reader.stall(false);
                case 3, 4, 5 -> leave();
                default -> LockSupport.parkNanos(random.nextInt(20_000));
            }
        }

        private void leave() {
            reader.leave();
            List<Frame> frames = reader.frames();
            reader = null;
            if (!frames.isEmpty()) {
                check(frames);
                Frame last = frames.get(frames.size() - 1);
                // now and then from far back, or from now
                asked = random.nextInt(50) == 0
                        ? (random.nextBoolean() ? null : (Long) Math.max(0, last.position() - random.nextInt(2_000)))
                        : (Long) last.position();
            }
        }

        /** Stays until it has everything that was published by then. */
        void end() {
            if (reader == null) {
                reader = new Reader().join(hub, identity, MemoryLog.TOPIC, asked, rooms);
            }
            reader.stall(false);
            long head = log.head("");
            reader.await(
                    "position " + head + " or a cut, seed " + seed,
                    frame -> frame.position() >= head || frame.last() != null);
            leave();
        }

        private void check(List<Frame> frames) {
            Frame first = frames.get(0);
            Frame last = frames.get(frames.size() - 1);
            if (last.last() != null) {
                cuts.incrementAndGet();
            }
            assertThat(asked == null ? first.position() : asked)
                    .as("first frame says where it begins, seed " + seed)
                    .isEqualTo(first.position());
            List<Long> expected = log.between(first.position(), last.position()).stream()
                    .filter(event -> identity.mayRead(event) && rooms.stream().anyMatch(room -> room.holds(event)))
                    .map(LogEvent::position)
                    .toList();
            List<Long> got = frames.stream()
                    .filter(frame -> Reader.type(frame).equals("event"))
                    .map(Frame::position)
                    .toList();
            assertThat(got)
                    .as("%s in %s from %d to %d, seed %d", identity, rooms, first.position(), last.position(), seed)
                    .isEqualTo(expected);
            checked.addAndGet(got.size());
        }
    }
}

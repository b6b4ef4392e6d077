package io.postrider.gateway;

import static io.postrider.gateway.MemoryLog.TOPIC;
import static io.postrider.gateway.MemoryLog.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.LogEvent;
import io.postrider.testkit.Await;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that ask the read model for much do not delay the others, and clients that left are not asked for. */
@Timeout(60)
@Tag("security")
class ReadQueueTest {
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final int EVENTS = 100;

    private final MemoryLog log = new MemoryLog();
    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch released = new CountDownLatch(1);

    /** Answers the subjects whose name begins with "slow" only after the test has released them. */
    private final class Slow implements History {
        @Override
        public Page page(Identity who, Set<Room> rooms, Stretch stretch) throws Exception {
            asked.add(who.subject());
            if (who.subject().startsWith("slow")) {
                released.await(30, TimeUnit.SECONDS);
            }
            return log.page(who, rooms, stretch);
        }

        @Override
        public long oldest(String topic) {
            return log.oldest(topic);
        }

        @Override
        public long reached(String topic) {
            return log.reached(topic);
        }
    }

    @BeforeEach
    void fill() throws Exception {
        List<LogEvent> events = LongStream.rangeClosed(1, EVENTS)
                .mapToObj(position -> event(position, "p2", "ann"))
                .toList();
        log.append(events);
    }

    @AfterEach
    void release() {
        released.countDown();
    }

    private Hub open(int readers) {
        GatewayOptions options = GatewayOptions.of(TOPIC).withRecent(5, 1 << 20).withHistory(200, readers);
        Hub hub = Hub.open(log, new Slow(), options);
        Await.until("the hub is ready", hub::isReady);
        return hub;
    }

    private static Reader join(Hub hub, String project, String subject) {
        Identity identity = new Identity(subject, project, Identity.Reach.USER, null, Instant.MAX);
        return new Reader().join(hub, identity, TOPIC, 0L, Set.of(Room.user(subject)));
    }

    private static void awaitAll(Reader reader) {
        Await.until("all events have come", SOON, () -> reader.positions().size() == EVENTS);
    }

    private void awaitAsked(int count) {
        Await.until(count + " were asked for", SOON, () -> asked.size() >= count);
    }

    @Test
    void a_subject_with_many_slow_reads_does_not_delay_another_project() {
        try (Hub hub = open(4)) {
            for (int i = 0; i < 20; i++) {
                join(hub, "p1", "slow");
            }
            awaitAsked(1);
            awaitAll(join(hub, "p2", "ann"));
            assertThat(asked).as("one read at a time of one subject").containsExactly("slow", "ann");
        }
    }

    @Test
    void a_client_that_left_is_not_asked_for_and_not_kept() {
        try (Hub hub = open(1)) {
            join(hub, "p1", "slow");
            awaitAsked(1);
            List<WeakReference<Reader>> left = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                Reader reader = join(hub, "p1", "slow-" + i % 3);
                reader.leave();
                left.add(new WeakReference<>(reader));
            }
            Await.until("their transports are not referenced", SOON, () -> {
                System.gc();
                return left.stream().allMatch(reader -> reader.get() == null);
            });
            released.countDown();
            awaitAll(join(hub, "p2", "ann"));
            assertThat(asked).containsExactly("slow", "ann");
        }
    }

    @Test
    void projects_take_turns_however_many_subjects_of_one_wait() {
        try (Hub hub = open(1)) {
            join(hub, "p1", "slow");
            awaitAsked(1);
            for (int i = 0; i < 50; i++) {
                join(hub, "p1", "slow-" + i);
            }
            Reader ann = join(hub, "p2", "ann");
            Await.until("they wait", SOON, () -> ann.subscriber().asking);
            released.countDown();
            awaitAll(ann);
            assertThat(asked.indexOf("ann")).isLessThanOrEqualTo(2);
            awaitAsked(52);
            assertThat(asked).as("each was asked for").doesNotHaveDuplicates();
        }
    }

    @Test
    void subjects_of_one_project_take_turns() {
        try (Hub hub = open(1)) {
            join(hub, "p2", "slow");
            awaitAsked(1);
            for (int i = 0; i < 20; i++) {
                join(hub, "p2", "slow-many");
            }
            Reader ann = join(hub, "p2", "ann");
            Await.until("they wait", SOON, () -> ann.subscriber().asking);
            released.countDown();
            awaitAll(ann);
            assertThat(asked.indexOf("ann")).isLessThanOrEqualTo(2);
            awaitAsked(22);
        }
    }
}

package io.postrider.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Background;
import io.postrider.LogEvent;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
class SharedReadsTest {
    private final SharedReads shared = new SharedReads();
    private final AtomicInteger reads = new AtomicInteger();

    @Test
    void a_single_listener_reads_without_a_shared_copy() {
        shared.join("orders");
        assertThat(read(0, 10, 10, 1)).isEqualTo(10);
        assertThat(read(0, 10, 10, 1)).isEqualTo(10);
        assertThat(reads.get()).isEqualTo(2);
    }

    @Test
    void events_read_by_one_listener_are_shared_with_the_other() {
        two();
        assertThat(positions(0, 10, 10, 1)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
        assertThat(positions(0, 10, 4, 1)).as("a smaller batch").containsExactly(1L, 2L, 3L, 4L);
        assertThat(positions(4, 10, 10, 1)).as("from the middle").containsExactly(5L, 6L, 7L, 8L, 9L, 10L);
        assertThat(positions(4, 6, 10, 1)).as("not across a setback").containsExactly(5L, 6L);
        assertThat(positions(8, 20, 10, 1)).as("as far as it was read").containsExactly(9L, 10L);
        assertThat(reads.get()).isEqualTo(1);
        assertThat(positions(10, 12, 10, 1)).containsExactly(11L, 12L);
        assertThat(reads.get()).isEqualTo(2);
    }

    @Test
    void reads_of_different_topics_are_separate() {
        two();
        shared.join("letters");
        shared.join("letters");
        read(0, 10, 10, 1);
        shared.read(new LogReader.Request("letters", 0, 10, 10, Heads.Ids.ALL), 1, 1, from(0, 10, "{}"));
        assertThat(reads.get()).isEqualTo(2);
    }

    @Test
    void after_a_reconnect_everything_is_read_again() {
        two();
        read(0, 10, 10, 1);
        read(0, 10, 10, 2);
        assertThat(reads.get()).isEqualTo(2);
        read(0, 10, 10, 0);
        read(0, 10, 10, 0);
        assertThat(reads.get()).as("without a connection nothing is shared").isEqualTo(4);
    }

    @Test
    void events_of_another_era_are_read_again() {
        two();
        read(0, 10, 10, 1);
        LogRange range = shared.read(range(0, 10, 10), 1, 2, from(0, 10, "{}"));
        assertThat(range.events()).hasSize(10);
        assertThat(reads.get()).isEqualTo(2);
    }

    @Test
    void a_listener_at_the_same_position_waits_for_the_running_read() {
        two();
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<Void> first = Background.run(() -> shared.read(range(0, 10, 10), 1, 1, () -> {
            reading.countDown();
            await(mayEnd);
            return from(0, 10, "{}").get();
        }));
        await(reading);
        CompletableFuture<Void> second = Background.run(() -> read(0, 10, 10, 1));
        assertThat(read(5, 10, 5, 1)).as("who is elsewhere does not wait").isEqualTo(5);
        mayEnd.countDown();
        first.join();
        second.join();
        assertThat(reads.get()).isEqualTo(2);
    }

    @Test
    void a_failed_read_fails_only_for_its_reader() {
        two();
        assertThatThrownBy(() -> shared.read(range(0, 10, 10), 1, 1, () -> {
                    throw new IllegalStateException("hole");
                }))
                .hasMessage("hole");
        assertThat(read(0, 10, 10, 1)).isEqualTo(10);
        assertThat(reads.get()).isEqualTo(1);
    }

    @Test
    void the_shared_copy_is_limited_in_bytes() {
        two();
        String large = "\"" + "x".repeat(1 << 20) + "\"";
        shared.read(range(0, 5, 5), 1, 1, from(0, 5, large));
        read(0, 5, 5, 1);
        assertThat(reads.get()).as("5 MiB are not kept").isEqualTo(2);
        for (long after = 5; after < 105; after++) {
            read(after, after + 1, 1, 1);
        }
        reads.set(0);
        read(104, 105, 1, 1);
        assertThat(reads.get()).as("the last is").isZero();
        read(0, 5, 5, 1);
        assertThat(reads.get()).as("the first is not, after a hundred others").isEqualTo(1);
    }

    private void two() {
        shared.join("orders");
        shared.join("orders");
    }

    private int read(long after, long upto, int most, int connection) {
        return positions(after, upto, most, connection).size();
    }

    private List<Long> positions(long after, long upto, int most, int connection) {
        return shared
                .read(range(after, upto, most), connection, 1, from(after, Math.min(upto, after + most), "{}"))
                .events()
                .stream()
                .map(LogEvent::position)
                .toList();
    }

    private static LogReader.Request range(long after, long upto, int most) {
        return new LogReader.Request("orders", after, upto, most, Heads.Ids.ALL);
    }

    private Supplier<LogRange> from(long after, long to, String payload) {
        return () -> {
            reads.incrementAndGet();
            return new LogRange(
                    after,
                    to,
                    1,
                    LongStream.rangeClosed(after + 1, to)
                            .mapToObj(position -> event(position, payload))
                            .toList());
        };
    }

    private static LogEvent event(long position, String payload) {
        return new LogEvent(
                "orders", position, UUID.randomUUID(), "t", payload, null, null, null, null, null, "{}", Instant.EPOCH);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

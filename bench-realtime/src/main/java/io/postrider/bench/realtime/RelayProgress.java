package io.postrider.bench.realtime;

import io.postrider.LogEvent;
import io.postrider.RelayEpoch;
import io.postrider.SendResult;
import io.postrider.Sink;
import io.postrider.admin.Watch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * When a relay sent its first events, and when the last of them were recorded as delivered. Before its first send it queries the
 * sink for what is already there, which takes one second once per tenure and is not part of the rate.
 */
final class RelayProgress implements Watch {
    private static final long PATIENCE_SECONDS = 300;

    private final long events;
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch finished = new CountDownLatch(1);
    private final AtomicLong reached = new AtomicLong();
    private final AtomicLong sends = new AtomicLong();
    private final AtomicLong sending = new AtomicLong();
    private volatile long began;
    private volatile long ended;
    private volatile @Nullable Throwable trouble;

    RelayProgress(long events) {
        this.events = events;
    }

    Sink watching(Sink sink) {
        return new Watched(sink);
    }

    void awaitBegun() throws InterruptedException {
        await(begun);
    }

    /** Events per second. */
    double await() throws InterruptedException {
        await(finished);
        return events / ((ended - began) / 1e9);
    }

    /** Milliseconds per batch in the sink. */
    double sendMillis() {
        return sending.get() / 1e6 / sends.get();
    }

    /** Milliseconds per batch elsewhere: to read it, and to record its delivery. */
    double restMillis() {
        return (ended - began) / 1e6 / sends.get() - sendMillis();
    }

    private void await(CountDownLatch latch) throws InterruptedException {
        if (!latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS) || trouble != null) {
            throw new IllegalStateException(
                    "the relay did not get through: " + reached.get() + " of " + events + " events", trouble);
        }
    }

    @Override
    public void delivered(String listener, String topic, long fromPosition, long toPosition, int batch, Duration took) {
        reached.set(toPosition);
        if (toPosition == events && finished.getCount() > 0) {
            ended = System.nanoTime();
            finished.countDown();
        }
    }

    @Override
    public void unavailable(String relay, int tries, Duration wait, Throwable error) {
        fail(error);
    }

    @Override
    public void setBack(String listener, LogEvent event, int attempt, Duration wait, Throwable error) {
        fail(error);
    }

    /** A rate with a failure in it is meaningless. */
    private void fail(Throwable error) {
        trouble = error;
        begun.countDown();
        finished.countDown();
    }

    /** Reports when the first events are sent. */
    private final class Watched implements Sink {
        private final Sink sink;

        Watched(Sink sink) {
            this.sink = sink;
        }

        @Override
        public String describe() {
            return sink.describe();
        }

        @Override
        public SendResult send(RelayEpoch epoch, List<LogEvent> batch) throws Exception {
            if (began == 0) {
                began = System.nanoTime();
                begun.countDown();
            }
            long before = System.nanoTime();
            try {
                return sink.send(epoch, batch);
            } finally {
                sending.addAndGet(System.nanoTime() - before);
                sends.incrementAndGet();
            }
        }

        @Override
        public Map<Long, UUID> holds(RelayEpoch epoch, long after) throws Exception {
            return sink.holds(epoch, after);
        }

        @Override
        public String test() throws Exception {
            return sink.test();
        }
    }
}

package io.postrider.bench;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Listener;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.StartPoint;
import io.postrider.watch.Watch;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** A node as in production: sequencer, retention, and, if asked for, one listener that hands events on. */
final class PostriderConsumer implements Consumer {
    private static final int BATCH = 1_000;

    private final BenchDatabase database;
    private final Handled handled;
    private final boolean listens;
    private final AtomicLong notified = new AtomicLong();
    private final Histogram passes = new Histogram(3);
    private @Nullable HikariDataSource pool;
    private @Nullable Postrider node;

    PostriderConsumer(BenchDatabase database, Handled handled, boolean listens) {
        this.database = database;
        this.handled = handled;
        this.listens = listens;
    }

    @Override
    public void start() {
        pool = database.pool("bench-node", 4, true);
        node = Postrider.on(pool, Options.defaults().withNode("bench").withWatch(new Counted()));
        if (listens) {
            node.add(Listener.relay("bench", Payloads.TOPIC, event -> handled.saw(event.id()))
                    .withBatch(BATCH)
                    .withStart(StartPoint.beginning()));
        }
        node.start();
    }

    @Override
    public void stop() {
        if (node != null && pool != null) {
            node.close();
            pool.close();
        }
        node = null;
        pool = null;
    }

    @Override
    public long notified() {
        return notified.get();
    }

    @Override
    public double passMillis() {
        synchronized (passes) {
            double millis = passes.getTotalCount() == 0 ? 0 : passes.getValueAtPercentile(50) / 1e6;
            passes.reset();
            return millis;
        }
    }

    private final class Counted implements Watch {
        @Override
        public void notified(String what) {
            if (what.equals("event")) {
                notified.incrementAndGet();
            }
        }

        @Override
        public void sequenced(long events, Duration took) {
            synchronized (passes) {
                passes.recordValue(Math.max(1, took.toNanos()));
            }
        }
    }
}

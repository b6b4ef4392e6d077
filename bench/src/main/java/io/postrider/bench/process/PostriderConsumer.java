package io.postrider.bench.process;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Fate;
import io.postrider.Listener;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.StartPoint;
import io.postrider.Worker;
import io.postrider.admin.Watch;
import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.jobs.PostriderJobs;
import io.postrider.bench.load.Payloads;
import io.postrider.bench.measure.HandledEvents;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** A node as in production: sequencer, retention and optionally one listener or worker that passes on what it receives. */
final class PostriderConsumer implements Consumer {
    private static final int BATCH = 1_000;

    private final BenchDatabase database;
    private final UnaryOperator<Postrider> task;
    private final AtomicLong notified = new AtomicLong();
    private final Histogram passes = new Histogram(3);
    private @Nullable HikariDataSource pool;
    private @Nullable Postrider node;

    private PostriderConsumer(BenchDatabase database, UnaryOperator<Postrider> task) {
        this.database = database;
        this.task = task;
    }

    static PostriderConsumer sequencing(BenchDatabase database) {
        return new PostriderConsumer(database, node -> node);
    }

    static PostriderConsumer listening(BenchDatabase database, HandledEvents handled) {
        Listener listener = Listener.relay("bench", Payloads.TOPIC, event -> handled.saw(event.id()))
                .withBatch(BATCH)
                .withStart(StartPoint.beginning());
        return new PostriderConsumer(database, node -> node.add(listener));
    }

    static PostriderConsumer working(BenchDatabase database, HandledEvents handled) {
        Worker worker = Worker.on(PostriderJobs.QUEUE).handling(PostriderJobs.TYPE, job -> {
            handled.saw(job.id());
            return Fate.done();
        });
        return new PostriderConsumer(database, node -> node.add(worker));
    }

    @Override
    public void start() {
        pool = database.pool("bench-node", 4, true);
        node = Postrider.on(pool, Options.defaults().withNode("bench").withWatch(new Counted()));
        task.apply(node).start();
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

package io.postrider.spring;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.admin.Gauges;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gauges that only the database can provide: how much is waiting, and for how long. A scrape triggers a query, at most once in
 * five seconds, on a separate thread and for at most two seconds. The scrape waits one second for it and then shows the previous
 * values, for the next five seconds without waiting. Values older than a minute are shown as unknown (NaN). Thread-safe.
 */
public final class DatabaseGauges implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DatabaseGauges.class);
    private static final long FRESH_NANOS = Duration.ofSeconds(5).toNanos();
    private static final long KNOWN_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int WAIT_MILLIS = 1_000;

    private final Gauges figures;
    private final Map<String, MultiGauge> gauges = new TreeMap<>();
    private final ExecutorService asking = Executors.newSingleThreadExecutor(DatabaseGauges::thread);
    private volatile Reading reading = Reading.NOTHING;
    private volatile long readAt = System.nanoTime() - KNOWN_NANOS;

    /** When a query last failed or took too long. Each row of a gauge would wait for the next one: 40 s with ten listeners. */
    private volatile long gaveUpAt = System.nanoTime() - FRESH_NANOS;

    private @Nullable Future<?> asked;

    /** Reads this schema through this data source, and shows it in this registry. */
    public DatabaseGauges(DataSource dataSource, String schema, MeterRegistry registry) {
        this.figures =
                Postrider.on(dataSource, Options.defaults().withSchema(schema)).gauges();
        for (Reading.Meter meter : Reading.METERS) {
            gauges.put(
                    meter.name(),
                    MultiGauge.builder(meter.name())
                            .description(meter.description())
                            .register(registry));
        }
        // Every scrape reads this gauge, even while there is no other one yet; reading it triggers the query.
        Gauge.builder("postrider_database_read_age_seconds", this, DatabaseGauges::ageAfterLook)
                .description("Age of the values of the other gauges")
                .register(registry);
    }

    /** Queries the database if that is due, and waits a moment for the result. Never throws. */
    public void refresh() {
        Future<?> mine;
        synchronized (this) {
            long now = System.nanoTime();
            if (now - readAt < FRESH_NANOS || now - gaveUpAt < FRESH_NANOS || asking.isShutdown()) {
                return;
            }
            if (asked == null || asked.isDone()) {
                asked = asking.submit(this::look);
            }
            mine = asked;
        }
        try {
            mine.get(WAIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            gaveUpAt = System.nanoTime();
            log.debug("metrics_slow the database does not answer within {} ms", WAIT_MILLIS);
        } catch (ExecutionException e) {
            gaveUpAt = System.nanoTime();
            log.warn("metrics_unread error=\"{}\"", String.valueOf(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Visible for tests. */
    void look() {
        Reading found = Reading.of(figures.read());
        reading = found;
        readAt = System.nanoTime();
        for (Reading.Meter meter : Reading.METERS) {
            List<MultiGauge.Row<?>> rows = new ArrayList<>();
            found.values(meter.name()).forEach((label, value) -> rows.add(row(meter, label)));
            // A known row reads the latest reading. If it were replaced, a scrape could see it twice, and would fail.
            gauge(meter.name()).register(rows, false);
        }
    }

    private MultiGauge.Row<?> row(Reading.Meter meter, String label) {
        Tags tags = meter.label().isEmpty() ? Tags.empty() : Tags.of(meter.label(), label);
        Function<DatabaseGauges, Double> value = me -> me.value(meter.name(), label);
        return MultiGauge.Row.of(tags, this, value::apply);
    }

    private MultiGauge gauge(String name) {
        return java.util.Objects.requireNonNull(gauges.get(name));
    }

    private double value(String meter, String label) {
        refresh();
        if (System.nanoTime() - readAt > KNOWN_NANOS) {
            return Double.NaN;
        }
        return reading.values(meter).getOrDefault(label, 0.0);
    }

    private double ageAfterLook() {
        refresh();
        return (System.nanoTime() - readAt) / 1e9;
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "postrider-metrics");
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public void close() {
        asking.shutdownNow();
    }
}

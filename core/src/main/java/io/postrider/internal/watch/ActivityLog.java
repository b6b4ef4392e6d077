package io.postrider.internal.watch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Decides which lines about single events and jobs are logged. Up to a rate they are logged at info; the rest is counted, and one line
 * per interval reports how many were left out. With a rate of 0 there is no line at info and nothing is counted. At debug every line
 * is written, whatever the rate. Each kind of line has the whole rate, so that a burst of one kind does not hide another. Safe to
 * share.
 */
public final class ActivityLog implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ActivityLog.class);
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private final int rate;
    private final Duration interval;
    private final List<Budget> budgets;
    private final AtomicBoolean reporting = new AtomicBoolean();
    private @Nullable ScheduledExecutorService timer;
    private boolean closed;

    /** A kind of line; its name is the first word of the line. */
    public enum Line {
        OUTBOX_ENQUEUED,
        OUTBOX_PUBLISH_SUCCEEDED,
        JOB_CLAIMED,
        JOB_COMPLETED
    }

    /** @param rate lines of each kind per second */
    public ActivityLog(int rate) {
        this(rate, INTERVAL);
    }

    ActivityLog(int rate, Duration interval) {
        this.rate = rate;
        this.interval = interval;
        this.budgets = List.of(new Budget(), new Budget(), new Budget(), new Budget());
    }

    /** The level at which to log the next line of this kind; null if it is left out. */
    public @Nullable Level level(Logger logger, Line line) {
        if (rate > 0 && logger.isInfoEnabled()) {
            Budget budget = budgets.get(line.ordinal());
            if (budget.take(rate, System.nanoTime())) {
                return Level.INFO;
            }
            if (!logger.isDebugEnabled()) {
                budget.leftOut.increment();
                reportLater();
                return null;
            }
        }
        return logger.isDebugEnabled() ? Level.DEBUG : null;
    }

    /** Logs a line at the level that {@link #level} returned. */
    public static void write(Logger logger, Level level, String pattern, @Nullable Object... values) {
        if (level == Level.INFO) {
            logger.info(pattern, values);
        } else {
            logger.debug(pattern, values);
        }
    }

    /** A text from outside as part of a line: without control characters, which could begin a line of their own. */
    public static @Nullable String clean(@Nullable String text) {
        return text == null ? null : text.replaceAll("\\p{Cntrl}", "?");
    }

    private void reportLater() {
        if (!reporting.get() && reporting.compareAndSet(false, true)) {
            try {
                synchronized (this) {
                    if (closed) {
                        return;
                    }
                    if (timer == null) {
                        timer = Executors.newSingleThreadScheduledExecutor(ActivityLog::daemon);
                    }
                    timer.schedule(this::report, interval.toNanos(), TimeUnit.NANOSECONDS);
                }
            } catch (RejectedExecutionException e) {
                log.debug("closing", e);
            }
        }
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "postrider-left-out-lines");
        thread.setDaemon(true);
        return thread;
    }

    private void report() {
        reporting.set(false); // first: what is left out from now on asks for the next report
        long[] counts =
                budgets.stream().mapToLong(one -> one.leftOut.sumThenReset()).toArray();
        if (counts[0] + counts[1] + counts[2] + counts[3] > 0) {
            log.info(
                    "log_lines_left_out rate={} outbox_enqueued={} outbox_publish_succeeded={} job_claimed={} job_completed={}",
                    rate,
                    counts[0],
                    counts[1],
                    counts[2],
                    counts[3]);
        }
    }

    /** Reports what was left out since the last report. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            if (timer != null) {
                timer.shutdownNow();
            }
        }
        report();
    }

    /** The lines of one kind in the current second. */
    private static final class Budget {
        private static final int COUNT_BITS = 32;

        /** The second in the upper half, the lines in it in the lower: changed together. */
        private final AtomicLong used = new AtomicLong();

        private final LongAdder leftOut = new LongAdder();

        boolean take(int rate, long nanos) {
            long second = (nanos / 1_000_000_000L) & 0x7fff_ffffL;
            while (true) {
                long before = used.get();
                long count = before >>> COUNT_BITS == second ? before & 0xffff_ffffL : 0;
                if (count >= rate) {
                    return false;
                }
                if (used.compareAndSet(before, second << COUNT_BITS | count + 1)) {
                    return true;
                }
            }
        }
    }
}

package io.postrider.internal.listen;

import io.postrider.Listener;
import io.postrider.internal.log.Heads;
import io.postrider.internal.log.LogRange;
import io.postrider.internal.log.LogReader;
import io.postrider.internal.log.ReadFilter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;

/**
 * Reads the ranges of a listener; for a sink that has more to get, it reads the next ranges while the current one is sent: a relay
 * to Kafka spent as long on reading a batch as on sending it. The event at a position does not change within an era, and the
 * delivery checks the era.
 */
final class ReadAhead {
    /** Two reads: on a busy machine, one session of the server reads no faster than a sink takes. */
    private static final int AHEAD = 2;

    private final Listener listener;
    private final ReadFilter filter;
    private final LogReader reader;
    private final Heads heads;
    private final ExecutorService threads;
    private final Deque<Begun> begun = new ArrayDeque<>();

    ReadAhead(Listener listener, LogReader reader, Heads heads, ExecutorService threads) {
        this.listener = listener;
        this.filter = new ReadFilter(listener.types(), listener.projects());
        this.reader = reader;
        this.heads = heads;
        this.threads = threads;
    }

    /** A read that has begun. */
    private record Begun(long after, int most, Future<LogRange> range) {}

    /** The next range after a position. */
    LogRange read(long after, long last, int most, int era) throws InterruptedException {
        Begun early = begun.poll();
        if (early != null && early.after() == after) {
            try {
                LogRange range = early.range().get();
                if (!range.isEmpty() && range.to() <= last && range.events().size() <= most) {
                    return range;
                }
            } catch (ExecutionException e) {
                // the read below fails in the same way, and its caller handles that
            }
        }
        begun.clear();
        return reader.read(listener.topic(), after, last, most, filter, heads, era);
    }

    /** Begins to read after a range that had {@code most} events. Without a filter it is known where the one after it begins. */
    void begin(LogRange range, int most, int era) {
        if (begun.isEmpty()) {
            begin(range.to(), most, era);
        }
        Begun last = begun.peekLast();
        if (last != null && begun.size() < AHEAD && filter.isAll()) {
            begin(last.after() + last.most(), most, era);
        }
    }

    private void begin(long after, int most, int era) {
        try {
            Future<LogRange> range = threads.submit(
                    () -> reader.read(listener.topic(), after, Long.MAX_VALUE, most, filter, heads, era));
            begun.add(new Begun(after, most, range));
        } catch (RejectedExecutionException e) {
            begun.clear(); // the node is closing
        }
    }
}

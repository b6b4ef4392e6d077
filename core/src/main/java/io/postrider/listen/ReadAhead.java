package io.postrider.listen;

import io.postrider.Listener;
import io.postrider.log.Heads;
import io.postrider.log.LogReader;
import io.postrider.log.LogReader.Stretch;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;

/**
 * Reads a listener's stretches, and where there is more and it sends to a sink, the next ones meanwhile: a relay to Kafka spent as
 * long on reading a batch as on sending it. What is at a position does not change within an era, and the delivery looks at the era.
 */
final class ReadAhead {
    /** Two: one session of the server reads no faster than a sink takes, on a machine that has much else to do. */
    private static final int AHEAD = 2;

    private final Listener listener;
    private final LogReader reader;
    private final Heads heads;
    private final ExecutorService threads;
    private final Deque<Begun> begun = new ArrayDeque<>();

    ReadAhead(Listener listener, LogReader reader, Heads heads, ExecutorService threads) {
        this.listener = listener;
        this.reader = reader;
        this.heads = heads;
        this.threads = threads;
    }

    /** What is being read. */
    private record Begun(long after, int most, Future<Stretch> stretch) {}

    /** The next stretch after a position. */
    Stretch read(long after, long last, int most, int era) throws InterruptedException {
        Begun early = begun.poll();
        if (early != null && early.after() == after) {
            try {
                Stretch stretch = early.stretch().get();
                if (!stretch.isEmpty()
                        && stretch.to() <= last
                        && stretch.events().size() <= most) {
                    return stretch;
                }
            } catch (ExecutionException e) {
                // whatever it was, it is found again here, where somebody hears of it
            }
        }
        begun.clear();
        return reader.read(listener.topic(), after, last, most, listener.types(), heads, era);
    }

    /** Begins to read what comes after a stretch that was cut at so many. Without a filter it is known where the one after begins. */
    void begin(Stretch stretch, int most, int era) {
        if (begun.isEmpty()) {
            begin(stretch.to(), most, era);
        }
        Begun last = begun.peekLast();
        if (last != null && begun.size() < AHEAD && listener.types() == null) {
            begin(last.after() + last.most(), most, era);
        }
    }

    private void begin(long after, int most, int era) {
        try {
            Future<Stretch> stretch = threads.submit(
                    () -> reader.read(listener.topic(), after, Long.MAX_VALUE, most, listener.types(), heads, era));
            begun.add(new Begun(after, most, stretch));
        } catch (RejectedExecutionException e) {
            begun.clear(); // the node is closing
        }
    }
}

package io.postrider.listen;

import io.postrider.Listener;
import io.postrider.log.Heads;
import io.postrider.log.LogReader;
import io.postrider.log.LogReader.Stretch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a listener's stretches, and where there is more and it sends to a sink, the next one meanwhile: a relay to Kafka spent as
 * long on reading a batch as on sending it. What is at a position does not change within an era, and the delivery looks at the era.
 */
final class ReadAhead {
    private final Listener listener;
    private final LogReader reader;
    private final Heads heads;
    private final ExecutorService threads;
    private @Nullable Begun begun;

    ReadAhead(Listener listener, LogReader reader, Heads heads, ExecutorService threads) {
        this.listener = listener;
        this.reader = reader;
        this.heads = heads;
        this.threads = threads;
    }

    /** What is being read. */
    private record Begun(long after, Future<Stretch> stretch) {}

    /** The next stretch after a position. */
    Stretch read(long after, long last, int most, int era) throws InterruptedException {
        Begun early = begun;
        begun = null;
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
        return reader.read(listener.topic(), after, last, most, listener.types(), heads, era);
    }

    /** Begins to read what comes after a stretch that was cut at so many. */
    void begin(Stretch stretch, int most, int era) {
        if (stretch.events().size() < most) {
            return;
        }
        try {
            begun = new Begun(
                    stretch.to(),
                    threads.submit(() -> reader.read(
                            listener.topic(), stretch.to(), Long.MAX_VALUE, most, listener.types(), heads, era)));
        } catch (RejectedExecutionException e) {
            begun = null; // the node is closing
        }
    }
}

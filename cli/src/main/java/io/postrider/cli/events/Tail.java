package io.postrider.cli.events;

import io.postrider.LogEvent;
import io.postrider.admin.Log;
import java.util.List;

/** Tracks how far a topic has been printed. Not thread-safe. */
public final class Tail {
    private static final int BATCH = 500;

    private final String topic;
    private final LinePrinter printer;
    private long after;
    private long left;
    private boolean read = true;

    /** Prints at most this many events after a position. */
    public Tail(String topic, long after, long most, LinePrinter printer) {
        this.topic = topic;
        this.after = after;
        this.left = most;
        this.printer = printer;
    }

    /** Prints up to the head. Returns whether it is done. */
    public boolean toTheHead(Log log) {
        while (!isDone()) {
            List<LogEvent> events = log.read(topic, after, (int) Math.min(BATCH, left));
            if (events.isEmpty()) {
                break;
            }
            events.forEach(printer::print);
            after = events.get(events.size() - 1).position();
            left -= events.size();
            read = printer.flush();
        }
        return isDone();
    }

    /** Whether the limit is reached, or the output is no longer read. */
    public boolean isDone() {
        return left == 0 || !read;
    }
}

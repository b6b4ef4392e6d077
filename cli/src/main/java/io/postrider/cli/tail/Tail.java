package io.postrider.cli.tail;

import io.postrider.db.Session;
import io.postrider.log.LogReader;

/** How far a topic has been printed. Used by one thread. */
public final class Tail {
    private static final int BATCH = 500;

    private final LogReader reader;
    private final String topic;
    private final LinePrinter printer;
    private long after;
    private long left;
    private boolean read = true;

    /** Prints what comes after a position, at most so many events. */
    public Tail(LogReader reader, String topic, long after, long most, LinePrinter printer) {
        this.reader = reader;
        this.topic = topic;
        this.after = after;
        this.left = most;
        this.printer = printer;
    }

    /** Prints up to the head. Gives whether it has had enough. */
    public boolean toTheHead(Session session) {
        while (!isDone()) {
            LogReader.Stretch stretch = reader.read(session, topic, after, (int) Math.min(BATCH, left));
            if (stretch.isEmpty()) {
                break;
            }
            stretch.events().forEach(printer::print);
            after = stretch.to();
            left -= stretch.events().size();
            read = printer.flush();
        }
        return isDone();
    }

    /** At the limit, or nobody reads what is printed. */
    public boolean isDone() {
        return left == 0 || !read;
    }
}

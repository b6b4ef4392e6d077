package io.postrider.internal.log;

import io.postrider.LogEvent;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Reads ranges of positions, bounded in number and in bytes, and refuses to skip a missing event. Thread-safe. */
public final class LogReader {
    private static final Sql READ = Sql.file("log/read");
    private static final Sql COUNT = Sql.file("log/count");
    private static final Sql HEAD = Sql.file("log/head");
    private static final Sql OLDEST = Sql.file("log/oldest");

    /** Limit for the payloads of one read, so that a listener on large events fits in a small heap. */
    private static final long BYTES = 8 << 20;

    /** With a filter, this many positions are scanned for each event wanted. */
    private static final int FILTER_REACH = 20;

    private final Database database;
    private final SharedReads shared = new SharedReads();

    public LogReader(Database database) {
        this.database = database;
    }

    /**
     * The next events after a position, up to a last position and to the head known; fewer if they are large.
     *
     * @param era of the reader: reads that other listeners made in another era are not used
     */
    public LogRange read(String topic, long after, long last, int most, ReadFilter filter, Heads heads, int era) {
        long reach = filter.isAll() ? most : (long) most * FILTER_REACH;
        long upto = Math.min(Math.min(last, heads.head(topic)), after + reach);
        if (upto <= after) {
            return new LogRange(after, after, 0, List.of());
        }
        Request request = new Request(topic, after, upto, most, heads.idsOf(topic, after, upto));
        Supplier<LogRange> fromDatabase = () -> database.autocommit(session -> read(session, request, filter));
        return filter.isAll() ? shared.read(request, heads.connection(), era, fromDatabase) : fromDatabase.get();
    }

    /** Registers a listener of this node that reads the topic without a filter: from the second one on, reads are shared. */
    public void share(String topic) {
        shared.join(topic);
    }

    /** The same for a command, which does not know the heads. */
    public LogRange read(Session session, String topic, long after, int most) {
        long upto = Math.min(head(session, topic), after + most);
        return upto <= after
                ? new LogRange(after, after, 0, List.of())
                : read(session, new Request(topic, after, upto, most, Heads.Ids.ALL), ReadFilter.ALL);
    }

    private static LogRange read(Session session, Request request, ReadFilter filter) {
        List<LogEvent> events = new ArrayList<>();
        long[] bytes = {0};
        int[] era = {0};
        session.each(
                READ,
                bind -> bind.text("topic", request.topic())
                        .int8("after", request.after())
                        .int8("upto", request.upto())
                        .int4("most", request.most())
                        .int8("bytes", BYTES)
                        .texts("types", filter.types())
                        .texts("projects", filter.projects())
                        .int8("low_id", request.ids().low())
                        .int8("high_id", request.ids().high()),
                0,
                row -> {
                    if (row.textOrNull("type") == null) {
                        throw gone(request.topic(), row.int8("position"));
                    }
                    bytes[0] = row.int8("running");
                    era[0] = row.int4("era");
                    return LogEvents.read(request.topic(), row);
                },
                events::add);
        boolean cut = events.size() == request.most() || bytes[0] >= BYTES;
        long to = cut ? events.get(events.size() - 1).position() : request.upto();
        Counted counted = filter.isAll() ? new Counted(events.size(), era[0]) : count(session, request, to);
        if (counted.events() != to - request.after()) {
            throw hole(session, request, to, counted.events());
        }
        return new LogRange(request.after(), to, counted.era(), events);
    }

    private record Counted(long events, int era) {}

    private static Counted count(Session session, Request request, long to) {
        return session.one(
                        COUNT,
                        bind -> bind.text("topic", request.topic())
                                .int8("after", request.after())
                                .int8("upto", to),
                        row -> new Counted(row.int8("events"), row.int4("era")))
                .orElseThrow();
    }

    private static PostriderException gone(String topic, long position) {
        return new PostriderException(
                Kind.CONFLICT,
                "the event at position " + position + " of topic " + topic + " was deleted."
                        + " To skip it, reset the listener to a later position");
    }

    private static PostriderException hole(Session session, Request request, long to, long found) {
        return new PostriderException(
                Kind.CONFLICT,
                "topic " + request.topic() + " has only " + found + " of the " + (to - request.after())
                        + " events at positions "
                        + (request.after() + 1) + ".." + to + "; the oldest kept is " + oldest(session, request.topic())
                        + ". The others were deleted, by retention or by hand. To skip them,"
                        + " reset the listener to a position that exists");
    }

    /** The head as the database has it. */
    public long head(Session session, String topic) {
        return session.one(HEAD, bind -> bind.text("topic", topic), row -> row.int8("position"))
                .orElse(0L);
    }

    /** The oldest position kept, or one after the head. */
    public static long oldest(Session session, String topic) {
        return session.one(OLDEST, bind -> bind.text("topic", topic), row -> row.int8("position"))
                .orElse(1L);
    }

    /** Positions to read, and the range of ids in which their events are. */
    record Request(String topic, long after, long upto, int most, Heads.Ids ids) {}
}

package io.postrider.log;

import io.postrider.LogEvent;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.db.Database;
import io.postrider.db.Session;
import io.postrider.db.Sql;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads ranges of positions, bounded in number and in bytes, and never passes over a hole in silence. Safe to share. */
public final class LogReader {
    private static final Sql READ = Sql.file("log/read");
    private static final Sql COUNT = Sql.file("log/count");
    private static final Sql HEAD = Sql.file("log/head");
    private static final Sql OLDEST = Sql.file("log/oldest");

    /** Payloads of one read, together: keeps a listener on large events within a small heap. */
    private static final long BYTES = 8 << 20;

    /** With a filter, so many positions are looked at for each event wanted. */
    private static final int FILTER_REACH = 20;

    private final Database database;
    private final SharedReads shared = new SharedReads();

    public LogReader(Database database) {
        this.database = database;
    }

    /**
     * The next events after a position, up to a last position and to the head known; fewer if they are large.
     *
     * @param era the one the reader is in: what somebody else has read in another one is not for it
     */
    public Stretch read(
            String topic, long after, long last, int most, @Nullable Collection<String> types, Heads heads, int era) {
        long reach = types == null ? most : (long) most * FILTER_REACH;
        long upto = Math.min(Math.min(last, heads.head(topic)), after + reach);
        if (upto <= after) {
            return new Stretch(after, after, 0, List.of());
        }
        Range range = new Range(topic, after, upto, most, heads.idsOf(topic, after, upto));
        Supplier<Stretch> fromDatabase = () -> database.autocommit(session -> read(session, range, types));
        return types == null ? shared.read(range, heads.connection(), era, fromDatabase) : fromDatabase.get();
    }

    /** Says that a listener of this node will read the topic without a filter: with a second one, reads are shared. */
    public void share(String topic) {
        shared.join(topic);
    }

    /** The same without knowledge of heads, for a command. */
    public Stretch read(Session session, String topic, long after, int most) {
        long upto = Math.min(head(session, topic), after + most);
        return upto <= after
                ? new Stretch(after, after, 0, List.of())
                : read(session, new Range(topic, after, upto, most, Heads.Ids.ALL), null);
    }

    private static Stretch read(Session session, Range range, @Nullable Collection<String> types) {
        List<LogEvent> events = new ArrayList<>();
        long[] bytes = {0};
        int[] era = {0};
        session.each(
                READ,
                bind -> bind.text("topic", range.topic())
                        .int8("after", range.after())
                        .int8("upto", range.upto())
                        .int4("most", range.most())
                        .int8("bytes", BYTES)
                        .texts("types", types)
                        .int8("low_id", range.ids().low())
                        .int8("high_id", range.ids().high()),
                0,
                row -> {
                    if (row.textOrNull("type") == null) {
                        throw gone(range.topic(), row.int8("position"));
                    }
                    bytes[0] = row.int8("running");
                    era[0] = row.int4("era");
                    return LogEvents.read(range.topic(), row);
                },
                events::add);
        boolean cut = events.size() == range.most() || bytes[0] >= BYTES;
        long to = cut ? events.get(events.size() - 1).position() : range.upto();
        Counted there = types == null ? new Counted(events.size(), era[0]) : count(session, range, to);
        if (there.events() != to - range.after()) {
            throw hole(session, range, to, there.events());
        }
        return new Stretch(range.after(), to, there.era(), events);
    }

    private record Counted(long events, int era) {}

    private static Counted count(Session session, Range range, long to) {
        return session.one(
                        COUNT,
                        bind -> bind.text("topic", range.topic())
                                .int8("after", range.after())
                                .int8("upto", to),
                        row -> new Counted(row.int8("events"), row.int4("era")))
                .orElseThrow();
    }

    private static PostriderException gone(String topic, long position) {
        return new PostriderException(
                Kind.CONFLICT,
                "the event at position " + position + " of topic " + topic + " is gone: somebody has deleted it."
                        + " Nothing is passed over in silence: reset the listener to a position behind it");
    }

    private static PostriderException hole(Session session, Range range, long to, long there) {
        return new PostriderException(
                Kind.CONFLICT,
                "topic " + range.topic() + " has only " + there + " of the " + (to - range.after())
                        + " events at positions "
                        + (range.after() + 1) + ".." + to + "; the oldest kept is " + oldest(session, range.topic())
                        + ". Retention or somebody's delete has taken the rest; nothing is passed over in silence:"
                        + " reset the listener to a position that is there");
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

    record Range(String topic, long after, long upto, int most, Heads.Ids ids) {}

    /**
     * The events found at positions {@code after + 1 .. to}: all of them, or those that the filter lets through.
     *
     * @param era in which it was read: in another one, the same positions may be of other events
     */
    public record Stretch(long after, long to, int era, List<LogEvent> events) {
        public boolean isEmpty() {
            return to == after;
        }
    }
}

package io.postrider.log;

import io.postrider.LogEvent;
import io.postrider.db.Database;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The log as it lies there: its ends, a stretch of it, and reading along without a name. Nothing here leaves a trace in the
 * database, so nothing here can tell what somebody has read: that is a listener. Safe to share.
 */
public final class Log implements AutoCloseable {
    private final Database database;
    private final Heads heads;
    private final LogReader reader;
    private final Map<Follow, Boolean> follows = new ConcurrentHashMap<>();

    public Log(Database database, Heads heads) {
        this.database = database;
        this.heads = heads;
        this.reader = new LogReader(database);
    }

    /** The last position of a topic; 0 if nothing was ever emitted to it. */
    public long head(String topic) {
        return database.autocommit(session -> reader.head(session, topic));
    }

    /** The oldest position that retention has kept; one after the head if it has kept none. */
    public long oldest(String topic) {
        return database.autocommit(session -> LogReader.oldest(session, topic));
    }

    /** The events after a position, so many at most, and fewer if they are large; none if the position is the head. */
    public List<LogEvent> read(String topic, long after, int most) {
        return database.autocommit(
                session -> reader.read(session, topic, after, most).events());
    }

    /**
     * Reads along with a topic from after a position, on a started node, until it is closed. The follower is called by one
     * thread. Whatever becomes of the connection, it gets every event once and in order.
     */
    public Follow follow(String topic, long after, Follower follower) {
        return follow(topic, after, List.of(), follower);
    }

    /**
     * The same for who has read the last events up to that position already: when the log is not the one it was, it is told how
     * much of them still holds.
     */
    public Follow follow(String topic, long after, List<LogEvent> before, Follower follower) {
        Follow.Place place = new Follow.Place(topic, after, before);
        Follow follow = new Follow(database, heads, reader, place, follower, follows::remove);
        follows.put(follow, true);
        follow.start();
        return follow;
    }

    /** Ends all following. */
    @Override
    public void close() {
        follows.keySet().forEach(Follow::close);
    }

    /** Who reads along. An exception ends nothing: the same events come again after a while. */
    public interface Follower {
        /** The next events, without a hole; but after events that retention has taken, from the oldest that it has left. */
        void read(List<LogEvent> events) throws Exception;

        /**
         * The log is not the one it was: restored from a dump, or continued by a standby that lacked its end. What was read after
         * this position is not in it, and others may have those positions now; reading goes on from there.
         */
        default void changed(long position) {}
    }
}

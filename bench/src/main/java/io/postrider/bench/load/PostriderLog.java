package io.postrider.bench.load;

import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.bench.BenchContext;
import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.database.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/** Postrider's side: producers on a database whose nodes run elsewhere, and bulk loading of the log. */
public final class PostriderLog {
    public static final String SCHEMA = "postrider";
    public static final String SEQUENCE = "select n, events, low_id, high_id, more from postrider.sequence(20000)";

    private static final int PASS = 20_000;
    private static final int TRANSACTION = 1_000;
    private static final int SEGMENTS_EVERY = 1_000_000;
    private static final String AT_ONCE = "null";
    private static final String MAKE_SEGMENTS = "select postrider.make_segments(4000000, 1000000)";
    private static final String ASLEEP = """
            select count(*) from pg_locks k
            where k.locktype = 'advisory' and k.classid = 'postrider.event'::regclass::oid and k.objid = 1
            and k.mode = 'ExclusiveLock' and k.granted
            and k.database = (select d.oid from pg_database d where d.datname = current_database())""";

    private final Postrider postrider;

    private PostriderLog(Postrider postrider) {
        this.postrider = postrider;
    }

    public static PostriderLog install(BenchDatabase database) {
        return new PostriderLog(Postrider.on(database.direct("bench-install")).migrate());
    }

    /** One event, in the caller's transaction. */
    void emit(Connection connection, long number) {
        postrider.emit(connection, event(number));
    }

    void emit(Connection connection, UUID id, long number) {
        postrider.emit(connection, event(number).withId(id));
    }

    private static Event event(long number) {
        return Event.of(Payloads.TOPIC, Payloads.TYPE, Payloads.of(number)).withKey(Payloads.key(number));
    }

    /** Whether the last emitted event has its position; there must be no concurrent emits. */
    static boolean isSequenced(Connection connection) throws SQLException {
        return Statements.number(
                        connection,
                        "select s.last_value - coalesce((select l.id from postrider.log l where l.topic = '"
                                + Payloads.TOPIC + "' order by l.position desc limit 1), 0) from postrider.event_ids s")
                == 0;
    }

    /** Whether a sequencer sleeps, which it shows by holding the idle lock. */
    static boolean isAsleep(Connection connection) throws SQLException {
        return Statements.number(connection, ASLEEP) > 0;
    }

    /** Fills the log with events that have their positions, in transactions of 1,000, without a node. */
    public static void fill(Connection connection, long events, BenchContext bench) throws SQLException {
        fill(connection, Payloads.TOPIC, Payloads.TYPE, events, bench);
    }

    /** The same on any topic. */
    public static void fill(Connection connection, String topic, String type, long events, BenchContext bench)
            throws SQLException {
        connection.setAutoCommit(true);
        Statements.execute(connection, "set synchronous_commit = off");
        for (long done = 0; done < events; ) {
            if (done % SEGMENTS_EVERY == 0) {
                Statements.number(connection, MAKE_SEGMENTS);
            }
            long next = Math.min(events, done + PASS);
            Statements.execute(connection, insertMany(done + 1, next, topic, type, AT_ONCE));
            sequence(connection);
            done = next;
            if (done % SEGMENTS_EVERY == 0) {
                bench.tell(done + " of " + events + " events written and sequenced");
            }
        }
        Statements.execute(connection, "reset synchronous_commit");
    }

    /** Many events without positions, in transactions of 1,000. dueAt is an expression. */
    public static void insertMany(Connection connection, long events, String topic, String type, String dueAt)
            throws SQLException {
        connection.setAutoCommit(true);
        Statements.execute(connection, insertMany(1, events, topic, type, dueAt));
    }

    private static String insertMany(long from, long to, String topic, String type, String dueAt) {
        return """
            do $$
            declare
              low bigint := %d;
            begin
              while low <= %d loop
                insert into postrider.event (topic, type, key, payload, due_at)
                select '%s', '%s', 'customer-' || g %% 1000, %s, (%s)::timestamptz
                from generate_series(low, least(low + %d, %2$d)) g;
                commit;
                low := low + %d;
              end loop;
            end
            $$""".formatted(from, to, topic, type, Payloads.SQL, dueAt, TRANSACTION - 1, TRANSACTION);
    }

    /** Runs passes until there is nothing to do. Returns the number of events that got positions. */
    public static long sequence(Connection connection) throws SQLException {
        long events = 0;
        while (true) {
            try (PreparedStatement pass = connection.prepareStatement(SEQUENCE);
                    ResultSet rows = pass.executeQuery()) {
                if (!rows.next()) {
                    return events;
                }
                events += rows.getLong("events");
            }
        }
    }
}

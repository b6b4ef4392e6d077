package io.postrider.internal.doctor.progress;

import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.BlockingSession;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Whether committed events get their positions. It checks the waiting events, not the connected sessions: a session that holds
 * the sequencing lock, a node that hangs and a database without nodes have the same effect on an event.
 */
public final class SequencingHealth {
    private static final Sql UNSEQUENCED = Sql.file("doctor/unsequenced");
    private static final Sql SINCE_PASS = Sql.file("doctor/since_pass");
    private static final Sql LOCK = Sql.file("doctor/sequencing_lock");
    private static final Sql NUMBERS = Sql.file("doctor/numbers");
    private static final Sql PASSES = Sql.file("doctor/passes");

    /** A running node gives a position within milliseconds, and after a crash within a few seconds. */
    private static final long LONG_SECONDS = 5;

    private SequencingHealth() {}

    /**
     * Events without a position.
     *
     * @param atLeast whether there may be more than {@code events}
     * @param seconds how long the oldest has waited
     * @param sincePass seconds since positions were last given; -1 if they never were
     */
    record Waiting(long events, boolean atLeast, long seconds, long sincePass) {
        /** A large backlog gets its positions over many passes; that is not a stall. */
        boolean isStalled() {
            return events > 0 && seconds > LONG_SECONDS && !isRecent(sincePass);
        }

        public String text() {
            return (atLeast ? "at least " : "") + events + " committed events wait for a position, the oldest for "
                    + BlockingSession.age(seconds);
        }
    }

    /** A sequence that is below a number already used. */
    record Used(String sequence, long value, long used) {
        public String text() {
            return "sequence " + sequence + " is at " + value + ", but " + used + " was used";
        }
    }

    public static Waiting waiting(Session session) {
        return session.one(
                        UNSEQUENCED,
                        Bind::nothing,
                        row -> new Waiting(
                                row.int8("events"), row.bool("at_least"), row.int8("seconds"), row.int8("since_pass")))
                .orElseThrow();
    }

    private static boolean isRecent(long sincePass) {
        return sincePass >= 0 && sincePass <= LONG_SECONDS;
    }

    /** While passes are written nothing has stalled, so a probe need not count a million waiting events and time out over it. */
    private static boolean isGivingPositions(Session session) {
        return session.one(SINCE_PASS, Bind::nothing, row -> isRecent(row.int8("seconds")))
                .orElse(false);
    }

    /** The session that holds the sequencing lock. */
    static Optional<BlockingSession> lockHolder(Session session) {
        return session.one(LOCK, Bind::nothing, BlockingSession::read);
    }

    static List<Used> numbersBelow(Session session) {
        return session.query(
                NUMBERS, Bind::nothing, row -> new Used(row.text("name"), row.int8("value"), row.int8("used")));
    }

    static boolean isPassTableEmptied(Session session) {
        return session.one(PASSES, Bind::nothing, row -> row.bool("emptied")).orElse(false);
    }

    /** Why committed events get no position, for a readiness probe; empty if they get one. */
    public static Optional<String> trouble(Session session) {
        if (isPassTableEmptied(session)) {
            return Optional.of("table pass is empty: no pass has run since it was emptied");
        }
        List<Used> below = numbersBelow(session);
        if (!below.isEmpty()) {
            return Optional.of(below.stream().map(Used::text).collect(Collectors.joining("; ")));
        }
        if (isGivingPositions(session)) {
            return Optional.empty();
        }
        Waiting waiting = waiting(session);
        if (!waiting.isStalled()) {
            return Optional.empty();
        }
        return Optional.of(waiting.text()
                + lockHolder(session)
                        .map(holder -> "; the sequencing lock is held by " + holder.text())
                        .orElse("; no session holds the sequencing lock"));
    }
}

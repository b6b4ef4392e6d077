package io.postrider.internal.shadow;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Publisher;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Sql;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads what another publisher has sent: from its table, from the ledger of a listener, or through the sink of the relay. */
final class PublisherReader {
    private static final Sql ASK = Sql.file("shadow/ask_for_reading");
    private static final Sql READING = Sql.file("shadow/reading");
    private static final Sql SEEN = Sql.file("shadow/seen");
    private static final Sql FORGET = Sql.file("shadow/forget_reading");
    private static final Sql SENT_BY = Sql.file("shadow/sent_by");
    private static final Sql PHASE = Sql.file("shadow/phase");
    private static final Sql RECORDS = Sql.file("shadow/records");

    /** The destination has another clock, and transactions may commit after later ones. */
    private static final Duration EARLIER = Duration.ofMinutes(1);

    private static final Duration UNTIL_BEGUN = Duration.ofSeconds(15);
    private static final Duration UNTIL_READ = Duration.ofMinutes(5);
    private static final int FETCH = 1_000;

    private final Database database;
    private final PublishedTable tables;

    PublisherReader(Database database) {
        this.database = database;
        this.tables = new PublishedTable(database);
    }

    /**
     * What is compared.
     *
     * @param sink the sink of the listener, if it is a relay to one
     * @param since no other publisher has sent any of the compared events before this time
     */
    record Scope(String listener, String topic, @Nullable String sink, long from, long to, Instant since) {}

    /**
     * A reading of a destination, which a node has made.
     *
     * @param whole whether everything was read
     */
    record Reading(long id, boolean whole) {}

    /** Passes on what the publisher has sent. Returns whether it is in the order of sending. */
    boolean read(Publisher publisher, Scope scope, List<Recorded> recorded, Consumer<Seen> to) {
        return publisher instanceof Publisher.Table table
                ? tables.read(table, recorded, to)
                : readListener(((Publisher.OtherListener) publisher).name(), scope, to);
    }

    // ── another listener ────────────────────────────────────────────────────────────────────────────────────────────

    private boolean readListener(String other, Scope scope, Consumer<Seen> to) {
        if (other.equals(scope.listener())) {
            throw PostriderException.refused("a listener is not compared with itself, was " + other);
        }
        record Other(String topic, @Nullable Long recordedFrom) {}
        Other found = database.autocommit(session -> session.one(
                        PHASE,
                        bind -> bind.text("listener", other).int4("most", SinkReading.MOST),
                        row -> new Other(row.text("topic"), row.int8OrNull("recorded_from")))
                .orElseThrow(() -> new PostriderException(Kind.NOT_FOUND, "no listener " + other)));
        if (!found.topic().equals(scope.topic())) {
            throw new PostriderException(
                    Kind.CONFLICT,
                    "listener " + other + " listens to topic " + found.topic() + ", and " + scope.listener() + " to "
                            + scope.topic());
        }
        @Nullable Long recordedFrom = found.recordedFrom();
        database.transaction(session -> {
            if (recordedFrom != null) {
                session.each(
                        RECORDS,
                        bind -> bind.text("listener", other)
                                .text("topic", scope.topic())
                                .text("header", "")
                                .int8("recorded_from", recordedFrom),
                        FETCH,
                        row -> new Seen("", row.text("event_id"), row.int8("message"), row.int8("payload")),
                        to);
            }
            session.each(
                    SENT_BY,
                    bind -> bind.text("other", other)
                            .int8("from_position", scope.from())
                            .int8("to_position", scope.to()),
                    FETCH,
                    row -> new Seen("", row.text("id"), MessageHash.UNKNOWN, MessageHash.UNKNOWN),
                    to);
            return true;
        });
        return recordedFrom != null;
    }

    // ── the destination of the sink ─────────────────────────────────────────────────────────────────────────────────

    /** Lets the node that runs the relay read, and waits for it. The caller must {@link #forget} the reading. */
    Reading readSink(Publisher.Destination destination, Scope scope) {
        if (scope.sink() == null) {
            throw new PostriderException(
                    Kind.CONFLICT,
                    "listener " + scope.listener() + " has no sink that could be read; compare it with a table or with"
                            + " another listener");
        }
        long reading = database.transaction(session -> session.one(
                        ASK,
                        bind -> bind.text("listener", scope.listener())
                                .text("place", destination.place())
                                .text("id_place", destination.id())
                                .text("payload_place", destination.payload())
                                .instant("since", scope.since().minus(EARLIER))
                                .millis("for_millis", destination.listenFor()),
                        row -> row.int8("id"))
                .orElseThrow(() -> new PostriderException(Kind.NOT_FOUND, "no relay " + scope.listener())));
        try {
            return new Reading(reading, await(scope.listener(), reading, destination.listenFor()));
        } catch (RuntimeException e) {
            forget(reading);
            throw e;
        }
    }

    void seen(Reading reading, Consumer<Seen> to) {
        database.transaction(session -> {
            session.each(
                    SEEN,
                    bind -> bind.int8("reading", reading.id()),
                    FETCH,
                    row -> new Seen(row.text("lane"), row.text("id"), row.int8("message"), row.int8("payload")),
                    to);
            return true;
        });
    }

    void forget(long reading) {
        database.transaction(session -> session.update(FORGET, bind -> bind.int8("reading", reading)));
    }

    private boolean await(String relay, long reading, Duration listenFor) {
        record State(
                boolean begun,
                boolean ended,
                boolean whole,
                @Nullable String error) {}
        long asked = System.nanoTime();
        while (true) {
            State state = database.autocommit(session -> session.one(
                            READING,
                            bind -> bind.int8("reading", reading),
                            row -> new State(
                                    row.bool("begun"), row.bool("ended"), row.bool("whole"), row.textOrNull("error")))
                    .orElseThrow(() -> new PostriderException(Kind.CONFLICT, "the reading was deleted meanwhile")));
            if (state.error() != null) {
                throw new PostriderException(
                        Kind.CONFLICT, "the node of relay " + relay + " could not read: " + state.error());
            }
            if (state.ended()) {
                return state.whole();
            }
            Duration most = state.begun() ? UNTIL_READ.plus(listenFor) : UNTIL_BEGUN;
            if (System.nanoTime() - asked > most.toNanos() || !JdbcShadow.rest()) {
                throw new PostriderException(
                        Kind.CONFLICT,
                        "no node has read the destination of relay " + relay + " within " + most.toSeconds()
                                + " s: is a node running that has this relay?");
            }
        }
    }
}

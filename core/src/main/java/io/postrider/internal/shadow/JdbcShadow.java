package io.postrider.internal.shadow;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Comparison;
import io.postrider.admin.Comparison.Difference;
import io.postrider.admin.Publisher;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.shadow.Comparer.Found;
import io.postrider.internal.shadow.PublisherReader.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Switches listeners to shadow mode and back, and compares what they recorded with another publisher. Thread-safe. */
public final class JdbcShadow {
    private static final Sql ASK =
            Sql.call("shadow/ask_for_shadow", "select s.from_position from postrider.ask_for_shadow(:listener) s");
    private static final Sql GO_LIVE = Sql.call(
            "shadow/go_live",
            "select g.outcome, g.live_position from postrider.go_live(:listener, :position, :worker) g");
    private static final Sql PHASE = Sql.file("shadow/phase");
    private static final Sql RECORDS = Sql.file("shadow/records");
    private static final Sql RANGES = Sql.file("shadow/ranges");
    private static final Sql FAILURES = Sql.file("shadow/failures");
    private static final Sql POSITIONS_OF = Sql.file("shadow/positions_of");
    private static final Duration LOOK_AGAIN = Duration.ofMillis(20);
    private static final int FETCH = 1_000;

    /** Messages of events that are at most this many positions before the compared ones are recognised. */
    private static final long AROUND = 100_000;

    private final Database database;
    private final PublisherReader publishers;
    private final String node;

    /** @param node is written into the ledger of a listener that goes live at an earlier position */
    public JdbcShadow(Database database, String node) {
        this.database = database;
        this.publishers = new PublisherReader(database);
        this.node = node;
    }

    // ── the mode ────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Puts a listener into shadow mode, and waits until it is. */
    public long begin(String listener, Duration most) {
        if (listener.startsWith("event_log:")) {
            throw new PostriderException(
                    Kind.CONFLICT, "listener " + listener + " writes the event log and cannot be in shadow mode");
        }
        @Nullable Long from = ask(listener);
        long end = System.nanoTime() + most.toNanos();
        while (from == null && System.nanoTime() - end < 0 && rest()) {
            Phase phase = phase(listener, 1);
            from = phase.isShadow() ? phase.shadowFrom() : null;
        }
        if (from == null) {
            throw new PostriderException(
                    Kind.CONFLICT,
                    "the node that runs " + listener + " has not entered shadow mode within " + most.toMillis()
                            + " ms. The request stays: the node follows it when it knows what it has sent. Check that it runs"
                            + " and that its sink is available");
        }
        return from;
    }

    private @Nullable Long ask(String listener) {
        record Asked(@Nullable Long from) {}
        return database.transaction(session -> session.one(
                                ASK,
                                bind -> bind.text("listener", listener),
                                row -> new Asked(row.int8OrNull("from_position")))
                        .orElseThrow(() -> notFound(listener)))
                .from();
    }

    /** @param position null: the one after the cursor */
    public long goLive(String listener, @Nullable Long position) {
        if (position != null && position < 1) {
            throw PostriderException.refused("position must be at least 1, was " + position);
        }
        record Switched(String outcome, @Nullable Long position) {}
        Switched switched = database.transaction(session -> session.one(
                        GO_LIVE,
                        bind -> bind.text("listener", listener)
                                .int8OrNull("position", position)
                                .text("worker", node),
                        row -> new Switched(row.text("outcome"), row.int8OrNull("live_position")))
                .orElseThrow(() -> notFound(listener)));
        @Nullable Long at = switched.position();
        if (switched.outcome().equals("live") && at != null) {
            return at;
        }
        throw new PostriderException(
                Kind.CONFLICT,
                switch (switched.outcome()) {
                    case "before_shadow" ->
                        "position " + position + " is before the shadow phase of " + listener + ", which begins at "
                                + at
                                + ": events before it were sent. To send them again, go live and reset the listener";
                    case "not_kept" -> "position " + position + " is not kept any more; the oldest is " + at;
                    default -> "listener " + listener + " is not in shadow mode";
                });
    }

    private static PostriderException notFound(String listener) {
        return new PostriderException(Kind.NOT_FOUND, "no listener " + listener);
    }

    static boolean rest() {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN.toMillis());
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    // ── the comparison ──────────────────────────────────────────────────────────────────────────────────────────────

    /** The shadow phase of a listener, and the part of it that is recorded. */
    record Phase(
            String topic,
            @Nullable String sink,
            @Nullable Long shadowFrom,
            @Nullable Long liveFrom,
            @Nullable Long recordedFrom,
            @Nullable Long recordedTo,
            @Nullable Instant since) {
        boolean isShadow() {
            return shadowFrom != null && liveFrom == null;
        }
    }

    private Phase phase(String listener, int most) {
        return database.autocommit(session -> session.one(
                        PHASE,
                        bind -> bind.text("listener", listener).int4("most", most),
                        row -> new Phase(
                                row.text("topic"),
                                row.textOrNull("sink"),
                                row.int8OrNull("shadow_from"),
                                row.int8OrNull("live_from"),
                                row.int8OrNull("recorded_from"),
                                row.int8OrNull("recorded_to"),
                                row.instantOrNull("since")))
                .orElseThrow(() -> notFound(listener)));
    }

    /** @param most the maximum number of recorded events to compare, the latest ones */
    public Comparison compare(String listener, Publisher publisher, int most) {
        if (most < 1 || most > SinkReading.MOST) {
            throw PostriderException.refused("most must be 1.." + SinkReading.MOST + ", was " + most);
        }
        Scope scope = scope(listener, most);
        if (!(publisher instanceof Publisher.Destination destination)) {
            return compare(publisher, scope, null);
        }
        PublisherReader.Reading reading = publishers.readSink(destination, scope);
        try {
            return compare(
                    publisher,
                    scope(listener, most),
                    reading); // what was recorded while a channel was heard counts too
        } finally {
            publishers.forget(reading.id());
        }
    }

    private Scope scope(String listener, int most) {
        Phase phase = phase(listener, most);
        @Nullable Long from = phase.recordedFrom();
        @Nullable Long to = phase.recordedTo();
        @Nullable Instant since = phase.since();
        if (from == null || to == null || since == null) {
            throw new PostriderException(
                    Kind.CONFLICT,
                    phase.shadowFrom() == null
                            ? "listener " + listener + " is not in shadow mode; `postrider relays shadow " + listener
                                    + "` begins it"
                            : "listener " + listener + " has recorded nothing yet in shadow mode");
        }
        return new Scope(listener, phase.topic(), phase.sink(), from, to, since);
    }

    private Comparison compare(Publisher publisher, Scope scope, PublisherReader.@Nullable Reading reading) {
        String header = publisher instanceof Publisher.Table table ? table.header() : "adopted_id";
        List<Recorded> recorded = recorded(scope.listener(), scope.topic(), header, scope.from());
        Comparer comparer = new Comparer(recorded, reading == null || reading.whole());
        boolean ordered = true;
        if (reading == null) {
            ordered = publishers.read(publisher, scope, recorded, comparer::add);
        } else {
            publishers.seen(reading, comparer::add);
        }
        int first = comparer.first();
        return new Comparison(
                scope.listener(),
                describe(publisher, scope.sink()),
                first == 0 ? scope.from() : recorded.get(first).position(),
                scope.to(),
                recorded.size() - first,
                ordered,
                comparer.isPayloadCompared(),
                comparer.missing(),
                extra(scope, header, comparer.unknown()),
                ordered ? comparer.reordered() : Comparer.NONE,
                comparer.different(),
                comparer.repeated(),
                comparer.pending(),
                failed(scope.listener(), scope.from()));
    }

    private static String describe(Publisher publisher, @Nullable String sink) {
        if (!(publisher instanceof Publisher.Destination destination) || sink == null) {
            return publisher.describe();
        }
        return destination.place() == null ? sink : destination.place() + " beside " + sink;
    }

    private List<Recorded> recorded(String listener, String topic, String header, long from) {
        List<Recorded> all = new ArrayList<>();
        database.transaction(session -> {
            session.each(
                    RECORDS,
                    bind -> bind.text("listener", listener)
                            .text("topic", topic)
                            .text("header", header)
                            .int8("recorded_from", from),
                    FETCH,
                    row -> new Recorded(
                            row.int8("position"),
                            row.uuid("event_id"),
                            row.int8("message"),
                            row.int8("payload"),
                            row.textOrNull("other_id")),
                    all::add);
            return true;
        });
        return all;
    }

    /** Messages without a recorded event: not those of events before or after the compared positions, or in a gap of the record. */
    private Difference extra(Scope scope, String header, Map<String, Integer> unknown) {
        Found found = new Found();
        if (unknown.isEmpty()) {
            return found.difference();
        }
        Map<String, Long> positions = new HashMap<>();
        List<long[]> ranges = new ArrayList<>();
        database.autocommit(session -> {
            readPositions(session, scope, header, unknown, positions);
            session.query(
                            RANGES,
                            bind -> bind.text("listener", scope.listener()).int8("recorded_from", scope.from()),
                            row -> new long[] {row.int8("from_position"), row.int8("to_position")})
                    .forEach(ranges::add);
            return true;
        });
        unknown.forEach((id, times) -> {
            @Nullable Long position = positions.get(id);
            if (position == null || ranges.stream().anyMatch(r -> r[0] <= position && position <= r[1])) {
                String detail = id.isEmpty()
                        ? "messages without an id: " + times
                        : position == null
                                ? "no event of the topic has this id"
                                : "the listener does not handle its type";
                found.add(position, id, detail);
            }
        });
        return found.difference();
    }

    private static void readPositions(
            Session session, Scope scope, String header, Map<String, Integer> unknown, Map<String, Long> positions) {
        session.each(
                POSITIONS_OF,
                bind -> bind.text("topic", scope.topic())
                        .text("header", header)
                        .int8("after", scope.from() - AROUND)
                        .texts("ids", unknown.keySet()),
                0,
                row -> {
                    long position = row.int8("position");
                    positions.put(row.text("event_id"), position);
                    @Nullable String other = row.textOrNull("other_id");
                    if (other != null) {
                        positions.put(other, position);
                    }
                    return position;
                },
                position -> {});
    }

    private Difference failed(String listener, long from) {
        Found found = new Found();
        record Failure(long position, String error) {}
        database.autocommit(session -> session.query(
                        FAILURES,
                        bind -> bind.text("listener", listener).int8("recorded_from", from),
                        row -> new Failure(row.int8("position"), row.text("error"))))
                .forEach(failure -> found.add(failure.position(), "", failure.error()));
        return found.difference();
    }
}

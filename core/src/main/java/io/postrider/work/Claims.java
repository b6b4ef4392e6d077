package io.postrider.work;

import io.postrider.ClaimedJob;
import io.postrider.Job;
import io.postrider.db.Database;
import io.postrider.db.Row;
import io.postrider.db.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The statements by which jobs of one queue are claimed. */
final class Claims {
    private static final Sql CLAIM = Sql.file("work/claim");
    private static final Sql CLAIMED = Sql.file("work/claimed");
    private static final Sql CLAIM_DELAYED = Sql.file("work/claim_delayed");
    private static final Sql GIVE_BACK = Sql.file("work/give_back");
    private static final Sql NEXT_DUE = Sql.file("work/next_due");

    /** Payloads of one claim, together: keeps a queue of large jobs within a small heap. */
    static final long BYTES = 8 << 20;

    /** Of jobs that go by themselves, at once: the server reads the payloads to know how long they are. */
    private static final int MOST_DELAYED = 100;

    /** A job may be due in thousands of years. */
    private static final long LONGEST_WAIT_MILLIS = Duration.ofDays(1).toMillis();

    private final Database database;
    private final String queue;

    Claims(Database database, String queue) {
        this.database = database;
        this.queue = queue;
    }

    /**
     * A job that was claimed, and why it may not be begun now.
     *
     * @param hold cancelled, key, bad (it can never be due), unreadable, or null
     * @param delay how long until it is due; null: it is
     */
    record Found(
            Holding holding,
            @Nullable Duration delay,
            @Nullable String hold) {
        /** The same, held until a claim can count the jobs of its key. */
        Found heldByKey() {
            return hold != null || holding.job().key() == null ? this : new Found(holding, delay, "key");
        }
    }

    /** A job whose row cannot be read: only its position is known. */
    Found unreadable(Claim claim, long worker, long position) {
        ClaimedJob job = new ClaimedJob(
                new UUID(0, 0),
                queue,
                Job.priorityOf(claim.topic()),
                "unreadable",
                "null",
                null,
                null,
                null,
                "{}",
                Instant.EPOCH,
                1,
                position);
        return new Found(new Holding(worker, claim, claim.topic(), job, null, 0), null, "unreadable");
    }

    /**
     * What a claim gave.
     *
     * @param claim null: nothing was claimed
     * @param why nothing was claimed: empty, paused, limited
     * @param claimedUpto the last position of the lane that is claimed, by whomever
     */
    record Got(@Nullable Claim claim, @Nullable String why, long claimedUpto, List<Found> found) {}

    /** Claims the next positions of a lane, and reads the first of them. */
    Got claim(String topic, long worker, int most, int first, OpenClaims.Asked asked) {
        List<Found> found = new ArrayList<>();
        Got[] got = {new Got(null, null, 0, found)};
        database.statement(session -> {
            session.each(
                    CLAIM,
                    bind -> bind.text("queue", queue)
                            .text("topic", topic)
                            .int8("worker", worker)
                            .int4("most", most)
                            .int4("first", first)
                            .int8("bytes", BYTES)
                            .int8("open_n", asked.oldest())
                            .int8("latest", asked.latest()),
                    0,
                    row -> {
                        Claim claim = got[0].claim();
                        if (claim == null) {
                            got[0] = header(row, topic, found);
                        } else {
                            found.add(found(row, worker, claim));
                        }
                        return true;
                    },
                    done -> {});
            return true;
        });
        return got[0];
    }

    private static Got header(Row row, String topic, List<Found> found) throws SQLException {
        Long n = row.int8OrNull("n");
        long upto = row.int8("position");
        Claim claim = n == null ? null : new Claim(n, topic, row.int8("from_position"), upto);
        return new Got(claim, row.textOrNull("hold"), upto, found);
    }

    /** Jobs of a claim that did not come with it. */
    List<Found> read(Claim claim, long worker, long after, long upto) {
        return database.autocommit(session -> session.query(
                CLAIMED,
                bind -> bind.text("topic", claim.topic())
                        .int8("after", after)
                        .int8("upto", upto)
                        .int8("bytes", BYTES),
                row -> found(row, worker, claim)));
    }

    /** Claims due jobs that go by themselves. */
    List<Holding> claimDelayed(List<String> lanes, long worker, int most, Collection<String> types, int tier) {
        return database.statement(session -> session.query(
                CLAIM_DELAYED,
                bind -> bind.text("queue", queue)
                        .texts("lanes", lanes)
                        .int8("worker", worker)
                        .int4("most", Math.min(most, MOST_DELAYED))
                        .int8("bytes", BYTES)
                        .texts("types", types)
                        .int4("tier", tier),
                row -> new Holding(
                        worker,
                        null,
                        row.text("topic"),
                        job(row, row.text("topic"), row.int4("attempt")),
                        row.textOrNull("unique_key"),
                        row.int4("crashes"))));
    }

    /** How long until the next of each tier is due, in nanoseconds; tiers that have none are not there. See next_due.sql. */
    Map<Integer, Long> nextDue(Collection<String> types) {
        Map<Integer, Long> next = new HashMap<>();
        database.autocommit(session ->
                session.query(NEXT_DUE, bind -> bind.text("queue", queue).texts("types", types), row -> {
                    next.put(row.int4("tier"), Math.min(row.int8("wait"), LONGEST_WAIT_MILLIS) * 1_000_000);
                    return true;
                }));
        return next;
    }

    /** Gives back what the server says we have claimed, but for these. */
    long giveBack(long worker, Collection<Long> known, Collection<Holding.Place> alone) {
        List<Holding.Place> places = List.copyOf(alone);
        return database.transaction(session -> session.one(
                        GIVE_BACK,
                        bind -> bind.text("queue", queue)
                                .int8("worker", worker)
                                .int8s("ns", known)
                                .texts(
                                        "topics",
                                        places.stream()
                                                .map(Holding.Place::topic)
                                                .toList())
                                .int8s(
                                        "positions",
                                        places.stream()
                                                .map(Holding.Place::position)
                                                .toList()),
                        row -> row.int8("given"))
                .orElseThrow());
    }

    private Found found(Row row, long worker, Claim claim) throws SQLException {
        if (row.textOrNull("event_id") == null) {
            return unreadable(claim, worker, row.int8("position")); // the event was deleted
        }
        Long wait = row.int8OrNull("wait");
        return new Found(
                new Holding(worker, claim, claim.topic(), job(row, claim.topic(), 1), row.textOrNull("unique_key"), 0),
                wait == null ? null : Duration.ofMillis(wait),
                row.textOrNull("hold"));
    }

    private ClaimedJob job(Row row, String topic, int attempt) throws SQLException {
        return new ClaimedJob(
                row.uuid("event_id"),
                queue,
                Job.priorityOf(topic),
                row.text("type"),
                row.text("payload"),
                row.textOrNull("key"),
                row.textOrNull("project_id"),
                row.textOrNull("user_id"),
                row.text("headers"),
                row.instant("created_at"),
                attempt,
                row.int8("position"));
    }
}

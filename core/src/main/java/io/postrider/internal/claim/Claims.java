package io.postrider.internal.claim;

import io.postrider.ClaimedJob;
import io.postrider.Job;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Row;
import io.postrider.internal.db.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The statements that claim jobs of one queue. Safe to share. */
public final class Claims {
    private static final Sql CLAIM = Sql.call(
            "claim/claim",
            "select * from postrider.claim(:queue, :topic, :worker, :most, :first, :bytes, :open_n, :latest)");
    private static final Sql CLAIMED =
            Sql.call("claim/claimed", "select * from postrider.claimed(:topic, :after, :upto, :bytes)");
    private static final Sql CLAIM_DELAYED = Sql.call(
            "claim/claim_delayed",
            "select * from postrider.claim_delayed(:queue, :lanes, :worker, :most, :bytes, :types, :tier)");
    private static final Sql GIVE_BACK = Sql.call(
            "claim/give_back", "select postrider.give_back(:queue, :worker, :ns, :topics, :positions) as given");
    private static final Sql NEXT_DUE = Sql.file("claim/next_due");

    /** Maximum size of the payloads that one statement returns: keeps a queue of large jobs within a small heap. */
    public static final long BYTES = 8 << 20;

    /** Maximum number of delayed jobs in one claim: the server reads the payloads to know how long they are. */
    private static final int MOST_DELAYED = 100;

    /** A job may be due in thousands of years. */
    private static final long LONGEST_WAIT_MILLIS = Duration.ofDays(1).toMillis();

    /** Rows of next_due.sql that are not a tier. */
    private static final int WAITS_FOR_KEY = -1;

    private static final int RATED = -2;

    private final Database database;
    private final String queue;

    public Claims(Database database, String queue) {
        this.database = database;
        this.queue = queue;
    }

    public String queue() {
        return queue;
    }

    /** Claims the next positions of a lane, and reads the first of them. */
    public ClaimResult claim(String lane, long worker, int most, int first, OpenClaims.Bounds bounds) {
        List<FoundJob> found = new ArrayList<>();
        ClaimResult[] result = {new ClaimResult(null, null, 0, found)};
        database.statement(session -> {
            session.each(
                    CLAIM,
                    bind -> bind.text("queue", queue)
                            .text("topic", lane)
                            .int8("worker", worker)
                            .int4("most", most)
                            .int4("first", first)
                            .int8("bytes", BYTES)
                            .int8("open_n", bounds.oldestOpen())
                            .int8("latest", bounds.latest()),
                    0,
                    row -> {
                        Claim claim = result[0].claim();
                        if (claim == null) {
                            result[0] = header(row, lane, found);
                        } else {
                            found.add(found(row, worker, claim));
                        }
                        return true;
                    },
                    done -> {});
            return true;
        });
        return result[0];
    }

    private static ClaimResult header(Row row, String lane, List<FoundJob> found) throws SQLException {
        Long n = row.int8OrNull("n");
        long upto = row.int8("position");
        Claim claim = n == null ? null : new Claim(n, lane, row.int8("from_position"), upto);
        return new ClaimResult(claim, ClaimResult.Refusal.of(row.textOrNull("hold")), upto, found);
    }

    /** Reads jobs of a claim that did not come with its answer. */
    public List<FoundJob> read(Claim claim, long worker, long after, long upto) {
        return database.autocommit(session -> session.query(
                CLAIMED,
                bind -> bind.text("topic", claim.topic())
                        .int8("after", after)
                        .int8("upto", upto)
                        .int8("bytes", BYTES),
                row -> found(row, worker, claim)));
    }

    /** Claims due jobs of one tier, of the first lanes first. */
    public List<HeldJob> claimDelayed(List<String> lanes, long worker, int most, Collection<String> types, Tier tier) {
        return database.statement(session -> session.query(
                CLAIM_DELAYED,
                bind -> bind.text("queue", queue)
                        .texts("lanes", lanes)
                        .int8("worker", worker)
                        .int4("most", Math.min(most, MOST_DELAYED))
                        .int8("bytes", BYTES)
                        .texts("types", types)
                        .int4("tier", tier.ordinal()),
                row -> new HeldJob(
                        worker,
                        null,
                        row.instant("claimed_at"),
                        row.text("topic"),
                        job(row, row.text("topic"), row.int4("attempt")),
                        row.textOrNull("unique_key"),
                        row.int4("crashes"))));
    }

    /** When the next delayed jobs of these types are due. */
    public NextDue nextDue(Collection<String> types) {
        Map<Integer, Duration> waits = new HashMap<>();
        database.autocommit(session ->
                session.query(NEXT_DUE, bind -> bind.text("queue", queue).texts("types", types), row -> {
                    waits.put(row.int4("tier"), Duration.ofMillis(Math.min(row.int8("wait"), LONGEST_WAIT_MILLIS)));
                    return true;
                }));
        Map<Tier, Duration> byTier = new EnumMap<>(Tier.class);
        for (Tier tier : Tier.values()) {
            Duration wait = waits.get(tier.ordinal());
            if (wait != null) {
                byTier.put(tier, wait);
            }
        }
        return new NextDue(byTier, waits.containsKey(WAITS_FOR_KEY), waits.containsKey(RATED));
    }

    /** Releases what the server says this worker has claimed, except these claims and delayed jobs. Returns how many jobs. */
    public long giveBack(long worker, Collection<Long> knownClaims, Collection<HeldJob.Place> knownDelayed) {
        List<HeldJob.Place> places = List.copyOf(knownDelayed);
        return database.transaction(session -> session.one(
                        GIVE_BACK,
                        bind -> bind.text("queue", queue)
                                .int8("worker", worker)
                                .int8s("ns", knownClaims)
                                .texts(
                                        "topics",
                                        places.stream()
                                                .map(HeldJob.Place::topic)
                                                .toList())
                                .int8s(
                                        "positions",
                                        places.stream()
                                                .map(HeldJob.Place::position)
                                                .toList()),
                        row -> row.int8("given"))
                .orElseThrow());
    }

    private FoundJob found(Row row, long worker, Claim claim) throws SQLException {
        if (row.textOrNull("event_id") == null) { // the event was deleted
            return new FoundJob(unreadable(claim, worker, row.int8("position")), null, FoundJob.Hold.UNREADABLE);
        }
        Long wait = row.int8OrNull("wait");
        return new FoundJob(
                new HeldJob(
                        worker,
                        claim,
                        null,
                        claim.topic(),
                        job(row, claim.topic(), 1),
                        row.textOrNull("unique_key"),
                        0),
                wait == null ? null : Duration.ofMillis(wait),
                FoundJob.Hold.of(row.textOrNull("hold")));
    }

    /** A job whose row cannot be read: only its position is known. */
    public HeldJob unreadable(Claim claim, long worker, long position) {
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
        return new HeldJob(worker, claim, null, claim.topic(), job, null, 0);
    }

    private ClaimedJob job(Row row, String lane, int attempt) throws SQLException {
        return new ClaimedJob(
                row.uuid("event_id"),
                queue,
                Job.priorityOf(lane),
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

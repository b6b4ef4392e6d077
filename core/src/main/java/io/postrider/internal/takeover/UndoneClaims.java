package io.postrider.internal.takeover;

import io.postrider.internal.db.Database;
import io.postrider.internal.db.Sql;
import io.postrider.internal.threads.Deadline;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Searches the claims of ended workers for unsettled positions and hands them over. There should be none: this is a safety net
 * for the takeover, and it repairs what earlier versions left behind. Slow on purpose: at most 2,000 claims per second, once
 * every ten minutes.
 */
public final class UndoneClaims {
    private static final Logger log = LoggerFactory.getLogger(UndoneClaims.class);
    private static final Sql HAND_OVER =
            Sql.call("takeover/hand_over_undone", "select * from postrider.hand_over_undone(:worker, :after, :most)");
    private static final int CLAIMS_PER_CHECK = 1_000;
    private static final Duration EVERY = Duration.ofMinutes(10);

    private final Database database;
    private final Runnable handedOver;
    private ScanPosition scanned = ScanPosition.BEGINNING;
    private Deadline nextCheck = Deadline.now();

    /** @param handedOver called after jobs have been handed over */
    public UndoneClaims(Database database, Runnable handedOver) {
        this.database = database;
        this.handedOver = handedOver;
    }

    /** The last claim that was checked, and how many jobs of that batch were handed over. */
    private record ScanPosition(long worker, long n, long jobs) {
        static final ScanPosition BEGINNING = new ScanPosition(0, 0, 0);
    }

    /** Checks the next batch, if it is due. */
    public void check() {
        if (!nextCheck.isPassed()) {
            return;
        }
        Optional<ScanPosition> batch = database.transaction(session -> session.one(
                HAND_OVER,
                bind -> bind.int8("worker", scanned.worker())
                        .int8("after", scanned.n())
                        .int4("most", CLAIMS_PER_CHECK),
                row -> new ScanPosition(row.int8("worker"), row.int8("n"), row.int8("jobs"))));
        if (batch.isEmpty()) {
            nextCheck = Deadline.in(EVERY);
        }
        scanned = batch.orElse(ScanPosition.BEGINNING);
        if (scanned.jobs() > 0) {
            log.error(
                    "undone_claims_handed_over worker={} jobs={} their worker has ended and no other worker held them",
                    scanned.worker(),
                    scanned.jobs());
            handedOver.run();
        }
    }
}

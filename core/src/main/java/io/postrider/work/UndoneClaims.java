package io.postrider.work;

import io.postrider.db.Database;
import io.postrider.db.Sql;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Searches the claims of ended workers for unsettled positions and hands them over. There should be none: this is a safety net
 * for the takeover, and it repairs what earlier versions left behind. Slow on purpose: at most 2,000 claims per second, once
 * every ten minutes.
 */
final class UndoneClaims {
    private static final Logger log = LoggerFactory.getLogger(UndoneClaims.class);
    private static final Sql HAND_OVER = Sql.file("work/hand_over_undone");
    private static final int CLAIMS = 1_000;
    private static final Duration EVERY = Duration.ofMinutes(10);

    private final Database database;
    private final Runnable found;
    private Place place = Place.BEGINNING;
    private long nextAt = System.nanoTime();

    UndoneClaims(Database database, Runnable found) {
        this.database = database;
        this.found = found;
    }

    private record Place(long worker, long n, long jobs) {
        static final Place BEGINNING = new Place(0, 0, 0);
    }

    /** Checks the next batch, if it is due. */
    void look() {
        if (System.nanoTime() < nextAt) {
            return;
        }
        Optional<Place> next = database.transaction(session -> session.one(
                HAND_OVER,
                bind -> bind.int8("worker", place.worker())
                        .int8("after", place.n())
                        .int4("most", CLAIMS),
                row -> new Place(row.int8("worker"), row.int8("n"), row.int8("jobs"))));
        if (next.isEmpty()) {
            nextAt = System.nanoTime() + EVERY.toNanos();
        }
        place = next.orElse(Place.BEGINNING);
        if (place.jobs() > 0) {
            log.error(
                    "undone_claims_handed_over worker={} jobs={} the worker has ended, and no worker held them",
                    place.worker(),
                    place.jobs());
            found.run();
        }
    }
}

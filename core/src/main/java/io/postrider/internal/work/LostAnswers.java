package io.postrider.internal.work;

import io.postrider.internal.claim.Claim;
import io.postrider.internal.claim.Claims;
import io.postrider.internal.claim.HeldJob;
import io.postrider.internal.claim.OpenClaims;
import io.postrider.internal.threads.Deadline;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds claims of one queue whose answer was lost: the server lists them for this node, but the node does not know them. Releases
 * them.
 * After a failed claim the two are compared every second for a minute, because the server may still be executing that claim;
 * otherwise once a minute, which costs next to nothing. Used by the thread of the queue, except {@link #settled}.
 */
final class LostAnswers {
    private static final Logger log = LoggerFactory.getLogger(LostAnswers.class);
    private static final Duration IN_DOUBT = Duration.ofMinutes(1);
    private static final Duration EVERY_IN_DOUBT = Duration.ofSeconds(1);
    private static final Duration EVERY = Duration.ofMinutes(1);

    private final Claims claims;
    private final OpenClaims openClaims;
    private Deadline nextComparison = Deadline.now();
    private Deadline doubtEnds = Deadline.now();

    LostAnswers(Claims claims, OpenClaims openClaims) {
        this.claims = claims;
        this.openClaims = openClaims;
    }

    /** The queue is about to claim. */
    OpenClaims.Bounds asking(long me) {
        return openClaims.ask(this, me);
    }

    /** The answer has arrived: this claim, or none. */
    void answered(long me, @Nullable Claim claim) {
        openClaims.answer(this, me, claim);
    }

    /** Claiming has failed: the server may have made the claim, or may still make it. */
    void failed() {
        openClaims.doubt(this);
        nextComparison = Deadline.now();
        doubtEnds = Deadline.in(IN_DOUBT);
    }

    /** A job of a claim is settled. */
    void settled(HeldJob heldJob) {
        Claim claim = heldJob.claim();
        if (claim != null) {
            openClaims.settled(heldJob.worker(), claim);
        }
    }

    /**
     * If it is time, releases claims that the server lists but this node does not know. True if there were any.
     *
     * @param delayed the delayed jobs that are known
     */
    boolean giveBack(long me, Supplier<Collection<HeldJob.Place>> delayed) {
        if (!nextComparison.isPassed()) {
            return false;
        }
        boolean inDoubt = !doubtEnds.isPassed();
        nextComparison = Deadline.in(inDoubt ? EVERY_IN_DOUBT : EVERY);
        long given = openClaims
                .numbers(me)
                .map(known -> claims.giveBack(me, known, delayed.get()))
                .orElse(0L);
        if (!inDoubt) {
            openClaims.believe(this);
        }
        if (given > 0) {
            log.warn("claims_given_back queue={} jobs={} the answer to a claim was lost", claims.queue(), given);
        }
        return given > 0;
    }
}

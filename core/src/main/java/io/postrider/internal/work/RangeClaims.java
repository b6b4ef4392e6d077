package io.postrider.internal.work;

import io.postrider.internal.claim.Claim;
import io.postrider.internal.claim.ClaimResult;
import io.postrider.internal.claim.Claims;
import io.postrider.internal.claim.HeldCount;
import io.postrider.internal.db.SqlState;

/** Claims ranges of positions of the lanes of one queue. Used by the thread of the queue. */
final class RangeClaims {
    private final Claims claims;
    private final Lanes lanes;
    private final Slices slices;
    private final HeldCount held;
    private final LostAnswers lostAnswers;

    /** Whether the last claim failed because of a row: then the next one claims without reading. */
    private boolean rowFailed;

    RangeClaims(Claims claims, Lanes lanes, Slices slices, HeldCount held, LostAnswers lostAnswers) {
        this.claims = claims;
        this.lanes = lanes;
        this.slices = slices;
        this.held = held;
        this.lostAnswers = lostAnswers;
    }

    /** Claims the next positions of a lane, and has them read and handed out. False if there is nothing to claim. */
    boolean claimNext(long me, int room) {
        Lanes.Lane lane = lanes.next();
        if (lane == null) {
            return false;
        }
        int read = rowFailed ? 0 : Slices.SIZE;
        ClaimResult result = claims.claim(lane.topic(), me, room, read, lostAnswers.asking(me));
        rowFailed = false;
        lanes.answered(lane, result);
        Claim claim = result.claim();
        lostAnswers.answered(me, claim);
        if (claim == null) {
            return false;
        }
        held.add(me, (int) claim.size());
        slices.add(claim, me, read, result.found());
        return true;
    }

    /** Claiming has failed, perhaps after the server made the claim. */
    void failed(Throwable e) {
        rowFailed = SqlState.isOfTheData(SqlState.of(e));
        lostAnswers.failed();
    }
}

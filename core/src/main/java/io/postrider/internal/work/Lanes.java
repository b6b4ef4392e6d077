package io.postrider.internal.work;

import io.postrider.Job;
import io.postrider.Priority;
import io.postrider.internal.claim.ClaimResult;
import io.postrider.internal.log.Heads;
import io.postrider.internal.threads.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of one queue: the topic of each priority, which of them may claim next, and how far each is claimed. Used by the thread
 * of the queue; {@link #retryNow} may be called by any thread.
 */
final class Lanes {
    /** Which lane may claim next, of every eight claims five high, two normal, one low: see {@link Priority}. */
    private static final int[] TURNS = {0, 1, 0, 2, 0, 1, 0, 0};

    private static final Duration RETRY_LIMITED = Duration.ofMillis(20);
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final Heads heads;
    private final Lane[] lanes;
    private int turn;
    private int delayedTurn;

    /**
     * No lane is claimed before this moment, after a claim found nothing although the head had moved: the queue is paused
     * or limited, or another worker was faster.
     */
    private volatile Deadline retry = Deadline.now();

    /** The topic of one priority of a queue. */
    static final class Lane {
        private final String topic;
        private long claimedUpto;

        private Lane(String topic) {
            this.topic = topic;
        }

        String topic() {
            return topic;
        }
    }

    Lanes(String queue, Heads heads) {
        this.heads = heads;
        this.lanes = topicsOf(queue).stream().map(Lane::new).toArray(Lane[]::new);
    }

    /** The topics of a queue, the highest priority first. */
    static List<String> topicsOf(String queue) {
        return Arrays.stream(Priority.values())
                .map(priority -> Job.topicOf(queue, priority))
                .toList();
    }

    List<String> topics() {
        return Arrays.stream(lanes).map(Lane::topic).toList();
    }

    /** The topics for a claim of delayed jobs: the one whose turn it is first. */
    List<String> topicsInTurn() {
        List<String> order = new ArrayList<>(topics());
        String first = lanes[TURNS[delayedTurn++ % TURNS.length]].topic();
        order.remove(first);
        order.add(0, first);
        return order;
    }

    /** The next lane with positions that are not claimed; null if there is none, or it is too early to retry. */
    @Nullable
    Lane next() {
        if (!retry.isPassed()) {
            return null;
        }
        for (int i = 0; i < TURNS.length; i++) {
            Lane lane = lanes[TURNS[turn++ % TURNS.length]];
            if (heads.head(lane.topic) > lane.claimedUpto) {
                return lane;
            }
        }
        return null;
    }

    /** Notes the answer to a claim on this lane. */
    void answered(Lane lane, ClaimResult result) {
        lane.claimedUpto = result.claimedUpto();
        if (result.claim() != null) {
            retry = Deadline.now();
        } else {
            retry = Deadline.in(result.isLimited() ? RETRY_LIMITED : RETRY);
        }
    }

    /** Something has changed that may let us claim. */
    void retryNow() {
        retry = Deadline.now();
    }

    /** How long no lane is claimed; zero or negative if one may be claimed now. */
    long nanosUntilRetry() {
        return retry.nanosLeft();
    }

    /** Forgets how far lanes are claimed: the server may have lost these claims. */
    void forgetClaimed() {
        for (Lane lane : lanes) {
            lane.claimedUpto = 0;
        }
    }
}

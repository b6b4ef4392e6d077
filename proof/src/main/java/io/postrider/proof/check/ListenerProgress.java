package io.postrider.proof.check;

import io.postrider.proof.check.Violation.Kind;
import io.postrider.proof.history.ListenerHistory;
import io.postrider.proof.history.Readings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * G8: the progress of one listener through the log of its topic.
 *
 * <p>The <em>frontier</em> is the furthest row it has handled. Each reading is one of
 *
 * <ul>
 *   <li>the next row: the frontier advances;
 *   <li>beyond it: rows were skipped, and the kind of violation is known only at the end: {@code BACKWARDS} if the same attempt
 *       came back for them, {@code LOST} if no attempt did and the listener finished, otherwise {@code SKIP};
 *   <li>at it or before: allowed for a new attempt, because delivery is at-least-once. In the same attempt it is
 *       {@code BACKWARDS}; for effects, which happen exactly once, a repeated row is a {@code DUPLICATE}.
 * </ul>
 *
 * <p>Two nodes that both believe they own the listener satisfy this too, since each began at the cursor. It counts rows, not
 * positions: a gap in the log is a violation of the log, not of the reader.
 */
final class ListenerProgress {
    private static final int UNHANDLED = -1;

    private final DeliveryRule sighting;
    private final Findings findings;
    private final OrderedLog log;
    private final ListenerHistory listening;
    private final boolean exactlyOnce;
    private final String who;
    private final int start;
    /** For each row, the attempt that handled it first, or {@link #UNHANDLED}. */
    private final int[] handledBy;

    private final List<Jump> jumps = new ArrayList<>();
    private int frontier;

    ListenerProgress(DeliveryRule sighting, ListenerHistory listening, boolean exactlyOnce) {
        this.sighting = sighting;
        this.findings = sighting.findings();
        this.log = sighting.log();
        this.listening = listening;
        this.exactlyOnce = exactlyOnce;
        who = "listener " + listening.reader().name() + (exactlyOnce ? "'s effects" : "");
        start = log.rowFrom(listening.reader().startAfter() + 1);
        frontier = start - 1;
        handledBy = new int[log.size()];
        Arrays.fill(handledBy, UNHANDLED);
    }

    /** Follows the listener from its first reading to its last. */
    void follow(Readings readings) {
        int[] lastRowOf = new int[greatestAttempt(readings) + 1];
        Arrays.fill(lastRowOf, -1);
        for (int index = 0; index < readings.size(); index++) {
            int row = sighting.check(who, readings, index);
            if (row >= 0) {
                int attempt = readings.attempt(index);
                step(attempt, lastRowOf[attempt], row);
                lastRowOf[attempt] = row;
            }
        }
        jumps.forEach(this::judge);
        reportUnseen();
    }

    private void step(int attempt, int lastOfAttempt, int row) {
        if (row < start) {
            findings.add(
                    Kind.BACKWARDS,
                    () -> who + ": handled " + log.position(row) + ", but began after "
                            + listening.reader().startAfter());
        } else if (exactlyOnce && handledBy[row] != UNHANDLED) {
            findings.add(Kind.DUPLICATE, () -> who + ": " + log.position(row) + " twice");
        } else if (row <= lastOfAttempt) {
            findings.add(
                    Kind.BACKWARDS,
                    () -> who + ": handled " + log.position(row) + " after " + log.position(lastOfAttempt));
        } else if (row > frontier + 1) {
            jumps.add(new Jump(attempt, frontier + 1, row));
        }
        // Two events at one position, which is also a violation of the log, count as one step.
        int last = log.lastRowAtPositionOf(row);
        if (handledBy[row] == UNHANDLED) {
            Arrays.fill(handledBy, row, last + 1, attempt);
        }
        frontier = Math.max(frontier, last);
    }

    /** Reports the rows that the listener skipped at first. */
    private void judge(Jump jump) {
        for (int row = jump.from; row < jump.to; row++) {
            long position = log.position(row);
            if (handledBy[row] == UNHANDLED && listening.finished()) {
                findings.add(
                        Kind.LOST,
                        () -> who + ": passed over " + position + " and never came back, though it finished");
            } else if (handledBy[row] != jump.attempt) {
                findings.add(
                        Kind.SKIP,
                        () -> who + ": handled " + log.position(jump.to) + " before it had handled " + position);
            }
        }
    }

    private void reportUnseen() {
        if (listening.finished() && frontier < log.size() - 1) {
            findings.add(
                    Kind.UNSEEN_AT_END,
                    () -> who + ": finished without " + PositionRange.of(log.position(frontier + 1), log.head()));
        }
    }

    private static int greatestAttempt(Readings readings) {
        int greatest = 0;
        for (int index = 0; index < readings.size(); index++) {
            greatest = Math.max(greatest, readings.attempt(index));
        }
        return greatest;
    }

    /** The rows from the frontier up to the one that was handled instead, exclusive. */
    private record Jump(int attempt, int from, int to) {}
}

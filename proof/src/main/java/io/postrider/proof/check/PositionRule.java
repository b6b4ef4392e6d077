package io.postrider.proof.check;

import io.postrider.proof.check.Violation.Kind;
import java.util.BitSet;

/**
 * G1, G2 and G3: every committed event gets exactly one position in its topic, no other event gets one, and the
 * positions are 1..head.
 */
final class PositionRule {
    private final EventTable events;
    private final Findings findings;
    private final BitSet placed = new BitSet();
    private final long[] placeOf;

    PositionRule(EventTable events, Findings findings) {
        this.events = events;
        this.findings = findings;
        this.placeOf = new long[events.size()];
    }

    /** Checks one topic and returns the part of its log that can be checked for order. */
    SoundLog check(OrderedLog log) {
        SoundLog sound = new SoundLog(log.topic(), log.size());
        for (int row = 0; row < log.size(); row++) {
            boolean shared = row > 0 && log.position(row - 1) == log.position(row);
            if (shared) {
                reportShared(log, row);
            } else {
                checkDense(log, row);
            }
            if (mayStand(log, row) && standsOnce(log, row) && !shared) {
                sound.add(log.position(row), log.event(row));
            }
        }
        return sound;
    }

    /** After all topics were checked: the events without any position. */
    void reportLost() {
        for (int event = 0; event < events.size(); event++) {
            if (events.counts(event) && !placed.get(event)) {
                int lost = event;
                findings.add(
                        Kind.LOST,
                        () -> events.emitted(lost).topic() + ": " + events.describe(lost)
                                + " committed and has no position");
            }
        }
    }

    /** G3: no gap. */
    private void checkDense(OrderedLog log, int row) {
        long position = log.position(row);
        long last = row == 0 ? log.base() : Math.max(log.base(), log.position(row - 1));
        if (position <= log.base()) {
            findings.add(
                    Kind.HOLE,
                    () -> log.topic() + ": position " + position + ", where the first is " + (log.base() + 1));
        } else if (position > last + 1) {
            findings.add(
                    Kind.HOLE,
                    () -> log.topic() + ": nothing at " + PositionRange.of(last + 1, position - 1) + ", head is "
                            + log.head());
        }
    }

    /** G1: committed, and on this topic. */
    private boolean mayStand(OrderedLog log, int row) {
        int event = log.event(row);
        if (!events.counts(event)) {
            findings.add(
                    Kind.ABORTED_READ,
                    () -> log.topic() + ": at " + log.position(row) + " stands "
                            + events.describeFault(event, log.eventHigh(row), log.eventLow(row)));
            return false;
        }
        if (!events.emitted(event).topic().equals(log.topic())) {
            findings.add(
                    Kind.ABORTED_READ,
                    () -> log.topic() + ": at " + log.position(row) + " stands " + events.describe(event)
                            + ", emitted on " + events.emitted(event).topic());
            return false;
        }
        return true;
    }

    /** G2: one position. */
    private boolean standsOnce(OrderedLog log, int row) {
        int event = log.event(row);
        if (placed.get(event)) {
            findings.add(
                    Kind.DUPLICATE,
                    () -> log.topic() + ": " + events.describe(event) + " stands at " + placeOf[event] + " and at "
                            + log.position(row));
            return false;
        }
        placed.set(event);
        placeOf[event] = log.position(row);
        return true;
    }

    /** G3: no duplicate. */
    private void reportShared(OrderedLog log, int row) {
        findings.add(
                Kind.POSITION_CONFLICT,
                () -> log.topic() + ": two events at " + log.position(row) + ", "
                        + log.eventId(row - 1) + " and "
                        + log.eventId(row));
    }
}

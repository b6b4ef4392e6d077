package io.postrider.proof.check;

import io.postrider.proof.check.Violation.Kind;
import io.postrider.proof.history.Readings;

/**
 * G1 and G7 for one reading of a listener: it is the event that the log has at this position, and its producer had begun to
 * commit it. Violations of the log itself are not reported again for the listener.
 */
final class DeliveryRule {
    private final EventTable events;
    private final Findings findings;
    private final OrderedLog log;

    DeliveryRule(EventTable events, Findings findings, OrderedLog log) {
        this.events = events;
        this.findings = findings;
        this.log = log;
    }

    Findings findings() {
        return findings;
    }

    OrderedLog log() {
        return log;
    }

    /** Checks one reading of a listener and returns its row in the log, or -1 if there is none. */
    int check(String listener, Readings readings, int index) {
        int row = log.rowAt(readings.position(index));
        if (row >= 0 && isInLog(row, readings, index)) {
            checkTime(listener, readings, index, log.event(row));
        } else {
            reportOther(listener, readings, index, row);
        }
        return row;
    }

    private boolean isInLog(int row, Readings readings, int index) {
        return log.eventLow(row) == readings.eventLow(index) && log.eventHigh(row) == readings.eventHigh(index);
    }

    private void reportOther(String listener, Readings readings, int index, int row) {
        long high = readings.eventHigh(index);
        long low = readings.eventLow(index);
        int event = events.find(high, low);
        String saw = listener + ": saw at " + readings.position(index) + " ";
        if (!events.counts(event)) {
            findings.add(Kind.ABORTED_READ, () -> saw + events.describeFault(event, high, low));
        } else {
            findings.add(
                    Kind.POSITION_CONFLICT,
                    () -> saw + events.describe(event) + ", where the log of " + log.topic() + " has "
                            + (row < 0 ? "nothing" : log.eventId(row)));
        }
    }

    private void checkTime(String listener, Readings readings, int index, int event) {
        if (!events.counts(event)) {
            return;
        }
        long at = readings.at(index);
        long began = events.commit(events.transactionOf(event)).began();
        // nanoTime may wrap, so compare by difference.
        if (at != 0 && began != 0 && at - began < 0) {
            findings.add(
                    Kind.PRE_COMMITTED_READ,
                    () -> listener + ": handled " + events.describe(event) + " at " + readings.position(index) + ", "
                            + (began - at) + " ns before its commit began");
        }
    }
}

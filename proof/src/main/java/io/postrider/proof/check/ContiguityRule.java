package io.postrider.proof.check;

import io.postrider.proof.check.Violation.Kind;

/** G5: one transaction's events in a topic are contiguous, and in the order in which it emitted them. */
final class ContiguityRule {
    private final EventTable events;
    private final Findings findings;
    /** The last index of each transaction in the current log; never cleared, see {@link #lastIndex}. */
    private final int[] lastIndexOf;

    ContiguityRule(EventTable events, Findings findings) {
        this.events = events;
        this.findings = findings;
        lastIndexOf = new int[events.transactions()];
    }

    void check(SoundLog log) {
        for (int index = 0; index < log.size(); index++) {
            int transaction = events.transactionOf(log.event(index));
            int last = lastIndex(log, transaction, index);
            if (last >= 0 && last != index - 1) {
                reportParted(log, last, index);
            } else if (last >= 0 && log.event(last) > log.event(index)) {
                reportTurned(log, last, index);
            }
            lastIndexOf[transaction] = index;
        }
    }

    /**
     * The last index of the transaction before this one, or -1. A missing entry, or a stale one from another topic, is recognised
     * because it points to a row that is not the transaction's or not visited yet. So nothing needs clearing, which would cost
     * topics times transactions.
     */
    private int lastIndex(SoundLog log, int transaction, int index) {
        int last = lastIndexOf[transaction];
        return last < index && events.transactionOf(log.event(last)) == transaction ? last : -1;
    }

    private void reportParted(SoundLog log, int last, int index) {
        findings.add(Kind.TORN, () -> {
            int between = events.transactionOf(log.event(index - 1));
            return log.topic() + ": between " + events.describe(log.event(last)) + " at " + log.position(last) + " and "
                    + events.describe(log.event(index)) + " at " + log.position(index) + " stands "
                    + events.name(between);
        });
    }

    private void reportTurned(SoundLog log, int last, int index) {
        findings.add(
                Kind.TORN,
                () -> log.topic() + ": " + events.describe(log.event(last)) + " at " + log.position(last) + " before "
                        + events.describe(log.event(index)) + " at " + log.position(index)
                        + ", which was emitted first");
    }
}

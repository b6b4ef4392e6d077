package io.postrider.proof.check;

import io.postrider.proof.check.Violation.Kind;
import io.postrider.proof.history.EmittedEvent;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntToLongFunction;

/**
 * G4 for one key: its events are in the order in which transactions held the key's lock.
 *
 * <p>Two independent sources give that order: the key's counter and the WAL. The WAL is valid only for transactions that held the
 * lock: of two that did not, either may commit first and come second.
 */
final class KeyOrderRule {
    private final EventTable events;
    private final Findings findings;

    KeyOrderRule(EventTable events, Findings findings) {
        this.events = events;
        this.findings = findings;
    }

    void check(SoundLog log) {
        Map<String, Newest> byKey = new HashMap<>();
        for (int index = 0; index < log.size(); index++) {
            EmittedEvent emitted = events.emitted(log.event(index));
            if (emitted.heldItsKey()) {
                Newest newest = byKey.computeIfAbsent(emitted.key().key(), key -> new Newest());
                boolean inOrder = inLockOrder(log, newest, index) && inWalOrder(log, newest, index);
                if (inOrder) {
                    newest.index = index;
                }
            }
        }
    }

    private boolean inLockOrder(SoundLog log, Newest newest, int index) {
        return inOrder(
                log,
                newest,
                index,
                "version",
                i -> events.emitted(log.event(i)).key().version());
    }

    private boolean inWalOrder(SoundLog log, Newest newest, int index) {
        return inOrder(log, newest, index, "commit", i -> commitNumber(log, i));
    }

    private boolean inOrder(SoundLog log, Newest newest, int index, String witness, IntToLongFunction order) {
        if (newest.index < 0 || sameTransaction(log, newest.index, index)) {
            return true;
        }
        long before = order.applyAsLong(newest.index);
        long now = order.applyAsLong(index);
        if (before < now || before == 0 || now == 0) {
            return true;
        }
        int earlier = newest.index;
        findings.add(
                Kind.KEY_ORDER,
                () -> log.topic() + ": key "
                        + events.emitted(log.event(index)).key().key() + ": "
                        + events.describe(log.event(earlier)) + " of " + witness + " " + before + " at "
                        + log.position(earlier) + " before " + events.describe(log.event(index)) + " of " + witness
                        + " "
                        + now + " at " + log.position(index));
        return false;
    }

    private boolean sameTransaction(SoundLog log, int one, int other) {
        return events.transactionOf(log.event(one)) == events.transactionOf(log.event(other));
    }

    private long commitNumber(SoundLog log, int index) {
        return events.commit(events.transactionOf(log.event(index))).number();
    }

    /** The last event of a key that is in order, by its index in the log. */
    private static final class Newest {
        private int index = -1;
    }
}

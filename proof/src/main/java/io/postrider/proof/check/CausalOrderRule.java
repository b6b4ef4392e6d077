package io.postrider.proof.check;

import io.postrider.proof.check.Violation.Kind;
import io.postrider.proof.history.KeyVersion;
import io.postrider.proof.history.Snapshot;
import io.postrider.proof.history.Transaction;
import io.postrider.proof.history.Visibility;
import java.util.HashMap;
import java.util.Map;

/**
 * G4: if a transaction could see the commit of another one when it emitted, its events come later.
 *
 * <p>It does not check pairs, which would be quadratic. For each event it finds the last event of all transactions that it could
 * see, which must come before. Key versions (every holder up to that version) and the snapshot (every transaction below xmax that
 * was not in progress) tell what an event could see.
 */
final class CausalOrderRule {
    private final EventTable events;
    private final Findings findings;
    private final Map<String, GreatestPositions> byKey = new HashMap<>();
    private final GreatestPositions byXid = new GreatestPositions();

    CausalOrderRule(EventTable events, Findings findings) {
        this.events = events;
        this.findings = findings;
    }

    void check(SoundLog log) {
        gather(log);
        for (int index = 0; index < log.size(); index++) {
            Visibility sight = events.emitted(log.event(index)).sight();
            if (checkKeys(log, index, sight)) {
                checkSnapshot(log, index, sight.snapshot());
            }
        }
    }

    /** Positions of the transactions that may have been seen: the last event of each, or of each part of a split one. */
    private void gather(SoundLog log) {
        for (int index = 0; index < log.size(); index++) {
            int transaction = events.transactionOf(log.event(index));
            boolean goesOn = index + 1 < log.size() && events.transactionOf(log.event(index + 1)) == transaction;
            if (!goesOn) {
                gather(events.transaction(transaction), log.position(index));
            }
        }
    }

    private void gather(Transaction transaction, long position) {
        for (KeyVersion lock : transaction.locks()) {
            byKey.computeIfAbsent(lock.key(), key -> new GreatestPositions()).add(lock.version(), position);
        }
        if (transaction.xid() != 0) {
            byXid.add(transaction.xid(), position);
        }
    }

    private boolean checkKeys(SoundLog log, int index, Visibility sight) {
        for (KeyVersion seen : sight.keys()) {
            GreatestPositions holders = byKey.get(seen.key());
            long last = holders == null ? 0 : holders.upTo(seen.version());
            if (last > log.position(index)) {
                report(log, index, last, "by version " + seen.version() + " of key " + seen.key());
                return false;
            }
        }
        return true;
    }

    private void checkSnapshot(SoundLog log, int index, Snapshot snapshot) {
        // If all that began before, seen or not, come before, so do those seen. This avoids nearly every detailed
        // lookup.
        if (byXid.upTo(snapshot.xmax() - 1) <= log.position(index)) {
            return;
        }
        Transaction own = events.transaction(events.transactionOf(log.event(index)));
        long last = lastSeen(snapshot.withInProgress(own.xid()));
        if (last > log.position(index)) {
            report(log, index, last, "in snapshot " + snapshot);
        }
    }

    private long lastSeen(Snapshot snapshot) {
        long last = byXid.upTo(snapshot.xmin() - 1);
        long from = snapshot.xmin();
        for (long inProgress : snapshot.inProgress()) {
            last = Math.max(last, byXid.within(from, inProgress - 1));
            from = inProgress + 1;
        }
        return Math.max(last, byXid.within(from, snapshot.xmax() - 1));
    }

    private void report(SoundLog log, int index, long seenAt, String how) {
        findings.add(
                Kind.CAUSAL,
                () -> log.topic() + ": " + events.describe(log.event(index)) + " at " + log.position(index) + " before "
                        + events.describe(log.eventAt(seenAt)) + " at " + seenAt + ", which it could see " + how);
    }
}

package io.postrider.proof;

import io.postrider.proof.Violation.Kind;
import java.util.HashMap;
import java.util.Map;

/**
 * G4: if a transaction could see another's commit when it emitted, its events come later.
 *
 * <p>Not asked pair by pair, which would be quadratic, but event by event: where is the last event of all that it
 * could see? It must stand before. What an event could see is told by key versions (everyone who held the key up to
 * that version) and by its snapshot (everyone below xmax who was not in progress).
 */
final class CausalRule {
    private final EventTable events;
    private final Findings findings;
    private final Map<String, GreatestPositions> byKey = new HashMap<>();
    private final GreatestPositions byXid = new GreatestPositions();

    CausalRule(EventTable events, Findings findings) {
        this.events = events;
        this.findings = findings;
    }

    void check(SoundLog log) {
        gather(log);
        for (int index = 0; index < log.size(); index++) {
            Sight sight = events.emitted(log.event(index)).sight();
            if (checkKeys(log, index, sight)) {
                checkSnapshot(log, index, sight.snapshot());
            }
        }
    }

    /** Where those stand who can have been seen: the last event of each, or of each piece of a torn one. */
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

    private boolean checkKeys(SoundLog log, int index, Sight sight) {
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
        // All that began before, seen or not, stand before: so those seen do. It spares nearly every look in detail.
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

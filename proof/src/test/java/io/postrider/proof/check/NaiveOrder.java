package io.postrider.proof.check;

import io.postrider.proof.check.Violation.Kind;
import io.postrider.proof.history.EmittedEvent;
import io.postrider.proof.history.Snapshot;
import io.postrider.proof.history.Transaction;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** The rules of order by their definition, pair by pair: too slow for a real history, but plainly right. */
final class NaiveOrder {
    private final Map<UUID, EmittedEvent> events = new HashMap<>();
    private final Map<UUID, Transaction> owners = new HashMap<>();
    private final Set<Kind> broken = EnumSet.noneOf(Kind.class);

    private NaiveOrder(List<Transaction> transactions) {
        for (Transaction transaction : transactions) {
            for (EmittedEvent event : transaction.events()) {
                events.put(event.event(), event);
                owners.put(event.event(), transaction);
            }
        }
    }

    /** Which of TORN, CAUSAL and KEY_ORDER a log breaks. */
    static Set<Kind> broken(List<Transaction> transactions, List<UUID> log) {
        NaiveOrder naive = new NaiveOrder(transactions);
        for (int i = 0; i < log.size(); i++) {
            for (int j = i + 1; j < log.size(); j++) {
                naive.compare(log.get(i), log.get(j));
                naive.lookBetween(log, i, j);
            }
        }
        return naive.broken;
    }

    private void compare(UUID earlier, UUID later) {
        EmittedEvent first = events.get(earlier);
        EmittedEvent second = events.get(later);
        Transaction one = owners.get(earlier);
        Transaction other = owners.get(later);
        if (one.number() == other.number()) {
            if (one.events().indexOf(first) > one.events().indexOf(second)) {
                broken.add(Kind.TORN);
            }
            return;
        }
        if (sees(first, other)) {
            broken.add(Kind.CAUSAL);
        }
        boolean bothHeld = first.heldItsKey() && second.heldItsKey();
        if (bothHeld && first.key().key().equals(second.key().key())) {
            boolean byVersion = first.key().version() >= second.key().version();
            long before = one.commit().number();
            long after = other.commit().number();
            if (byVersion || (before != 0 && after != 0 && before >= after)) {
                broken.add(Kind.KEY_ORDER);
            }
        }
    }

    private void lookBetween(List<UUID> log, int i, int j) {
        int owner = owner(log.get(i));
        boolean same = owner(log.get(j)) == owner;
        if (same && log.subList(i + 1, j).stream().anyMatch(event -> owner(event) != owner)) {
            broken.add(Kind.TORN);
        }
    }

    private int owner(UUID event) {
        return owners.get(event).number();
    }

    /** Whether the transaction's commit could be seen when the event was emitted. */
    static boolean sees(EmittedEvent event, Transaction transaction) {
        boolean byKey = event.sight().keys().stream()
                .anyMatch(seen -> transaction.locks().stream()
                        .anyMatch(lock -> lock.key().equals(seen.key()) && lock.version() <= seen.version()));
        Snapshot snapshot = event.sight().snapshot();
        boolean inProgress = false;
        for (long xid : snapshot.inProgress()) {
            inProgress |= xid == transaction.xid();
        }
        return byKey || (transaction.xid() < snapshot.xmax() && !inProgress);
    }
}

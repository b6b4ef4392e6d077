package io.postrider.proof.record;

import io.postrider.proof.history.Commit;
import io.postrider.proof.history.EmittedEvent;
import io.postrider.proof.history.KeyVersion;
import io.postrider.proof.history.Outcome;
import io.postrider.proof.history.Snapshot;
import io.postrider.proof.history.Transaction;
import io.postrider.proof.history.Visibility;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

/**
 * Records one transaction of the load while it runs, in the order of the producer's work:
 *
 * <pre>{@code
 * update marker set version = version + 1 where key = 'order-7' returning version       tx.locked("order-7", 4)
 * select key, version from marker where key in (…)                                      tx.saw("order-9", 11)
 * insert into event … returning id, pg_current_snapshot()                               tx.saw(snapshot); tx.emitted(…)
 * commit                                                        tx.committing() before it, tx.committed() after it
 * }</pre>
 *
 * <p>A transaction that never ended counts as unknown if its commit had begun, otherwise as aborted.
 */
public final class TransactionRecorder {
    private final int number;
    private final LongSupplier clock;
    private final BiConsumer<TransactionRecorder, Transaction> onEnd;
    private final List<EmittedEvent> events = new ArrayList<>();
    private final List<KeyVersion> locks = new ArrayList<>();
    private final Map<String, Long> firstHeld = new HashMap<>();
    private final Map<String, Long> lastHeld = new HashMap<>();
    private final Map<String, Long> seenKeys = new LinkedHashMap<>();
    private Snapshot snapshot = Snapshot.NONE;
    private Visibility sight = Visibility.NOTHING;
    private boolean sightChanged;
    private long xid;
    private long commitBegan;
    private boolean ended;

    TransactionRecorder(int number, LongSupplier clock, BiConsumer<TransactionRecorder, Transaction> onEnd) {
        this.number = number;
        this.clock = clock;
        this.onEnd = onEnd;
    }

    /** Its {@code pg_current_xact_id()}, which links it to the WAL and to the snapshots of others. */
    public synchronized void xid(long id) {
        xid = id;
    }

    /** It took the lock of a key and set the key's counter to this version. */
    public synchronized void locked(String key, long version) {
        locks.add(new KeyVersion(key, version));
        hold(key, version);
    }

    /** It read the counter of a key, so it could see the commits of all holders up to this version. */
    public synchronized void saw(String key, long version) {
        // While it holds the lock it reads its own version, which is not committed yet.
        long committed = Math.min(version, firstHeld.getOrDefault(key, Long.MAX_VALUE) - 1);
        seenKeys.put(key, committed);
        sightChanged = true;
    }

    /** The snapshot of the statement that emits the event recorded next. */
    public synchronized void saw(Snapshot now) {
        snapshot = now;
        sightChanged = true;
    }

    /** It emitted an event without a key. */
    public void emitted(UUID event, String topic, long databaseId) {
        emitted(event, topic, "", databaseId);
    }

    /** It emitted an event. */
    public synchronized void emitted(UUID event, String topic, String key, long databaseId) {
        KeyVersion keyVersion = new KeyVersion(key, lastHeld.getOrDefault(key, KeyVersion.NOT_HELD));
        events.add(new EmittedEvent(event, topic, keyVersion, databaseId, false, sightNow()));
    }

    /** It set a savepoint, to which it may go back. */
    public synchronized Savepoint savepoint() {
        return new Savepoint(events.size(), locks.size());
    }

    /** It rolled back to a savepoint: events and locks since then are void, but what it has seen stays seen. */
    public synchronized void rolledBackTo(Savepoint savepoint) {
        events.subList(savepoint.events, events.size()).replaceAll(EmittedEvent::withUndone);
        locks.subList(savepoint.locks, locks.size()).clear();
        firstHeld.clear();
        lastHeld.clear();
        locks.forEach(lock -> hold(lock.key(), lock.version()));
    }

    /** COMMIT, or COMMIT PREPARED, is about to be sent. */
    public synchronized void committing() {
        commitBegan = clock.getAsLong();
    }

    /** The server confirmed the commit. */
    public void committed() {
        end(Outcome.COMMITTED);
    }

    /** It was rolled back, by its producer or by the server. */
    public void aborted() {
        end(Outcome.ABORTED);
    }

    /** COMMIT was sent and there was no reply. */
    public void unknown() {
        end(Outcome.UNKNOWN);
    }

    synchronized Transaction asItStands() {
        return as(commitBegan == 0 ? Outcome.ABORTED : Outcome.UNKNOWN);
    }

    private synchronized void end(Outcome outcome) {
        if (ended) {
            throw new IllegalStateException("T" + number + " has already ended");
        }
        ended = true;
        onEnd.accept(this, as(outcome));
    }

    private Transaction as(Outcome outcome) {
        return new Transaction(number, xid, new Commit(outcome, 0, commitBegan), locks, events);
    }

    private void hold(String key, long version) {
        firstHeld.putIfAbsent(key, version);
        lastHeld.put(key, version);
    }

    /** One object for all events emitted with the same visibility: most transactions read only once. */
    private Visibility sightNow() {
        if (sightChanged) {
            List<KeyVersion> keys = new ArrayList<>(seenKeys.size());
            seenKeys.forEach((key, version) -> keys.add(new KeyVersion(key, version)));
            sight = new Visibility(snapshot, keys);
            sightChanged = false;
        }
        return sight;
    }

    /** The state of a transaction when it set a savepoint. */
    public static final class Savepoint {
        private final int events;
        private final int locks;

        private Savepoint(int events, int locks) {
            this.events = events;
            this.locks = locks;
        }
    }
}

package io.postrider.proof.record;

import io.postrider.proof.history.Commit;
import io.postrider.proof.history.History;
import io.postrider.proof.history.Outcome;
import io.postrider.proof.history.Transaction;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Collects a {@link History} during the run. Threads may share it; each transaction recorder belongs to the thread that runs that
 * transaction.
 */
public final class HistoryRecorder {
    private final LongSupplier clock;
    private final AtomicInteger lastNumber = new AtomicInteger();
    private final Set<TransactionRecorder> open = ConcurrentHashMap.newKeySet();
    private final Queue<Transaction> ended = new ConcurrentLinkedQueue<>();
    private final Map<String, LogRecorder> logs = new ConcurrentSkipListMap<>();
    private final Map<String, ListenerRecorder> listeners = new ConcurrentSkipListMap<>();
    private volatile Map<Long, Long> commitNumbers = Map.of();

    /** Times are {@link System#nanoTime()}, which on one machine is one clock for all threads and processes. */
    public HistoryRecorder() {
        this(System::nanoTime);
    }

    /** Times come from the given clock, which must never return 0, since 0 means "unknown". */
    public HistoryRecorder(LongSupplier clock) {
        this.clock = clock;
    }

    /** A producer's transaction begins. */
    public TransactionRecorder begin() {
        TransactionRecorder transaction = new TransactionRecorder(lastNumber.incrementAndGet(), clock, this::end);
        open.add(transaction);
        return transaction;
    }

    /** The log of a topic, to be filled at the end of the run. */
    public LogRecorder log(String topic) {
        return logs.computeIfAbsent(topic, LogRecorder::new);
    }

    /** The listener of this name on a topic; always the same one for the same name. */
    public ListenerRecorder listener(String name, String topic) {
        return listeners.computeIfAbsent(name, n -> new ListenerRecorder(n, topic, clock));
    }

    /**
     * The xids of all commits of the run in WAL order, as returned by a logical decoding slot. Xids that do not belong to the
     * load are ignored. It settles the outcome of transactions for which it is unknown.
     */
    public void commitOrder(long... xids) {
        Map<Long, Long> numbers = new HashMap<>();
        long number = 0;
        for (long xid : xids) {
            numbers.put(xid, ++number);
        }
        commitNumbers = numbers;
    }

    /** Everything recorded so far. */
    public History history() {
        List<Transaction> transactions = new ArrayList<>();
        // Open ones first: one that ends meanwhile is then found twice rather than missed.
        open.forEach(transaction -> transactions.add(transaction.asItStands()));
        transactions.addAll(ended);
        Map<Integer, Transaction> byNumber = new HashMap<>();
        transactions.forEach(transaction -> byNumber.put(transaction.number(), transaction));
        return new History(
                byNumber.values().stream()
                        .map(this::settle)
                        .sorted(Comparator.comparingInt(Transaction::number))
                        .toList(),
                logs.values().stream().map(LogRecorder::log).toList(),
                listeners.values().stream().map(ListenerRecorder::listening).toList());
    }

    private void end(TransactionRecorder recorder, Transaction transaction) {
        ended.add(transaction);
        open.remove(recorder);
    }

    private Transaction settle(Transaction transaction) {
        if (commitNumbers.isEmpty() || transaction.xid() == 0) {
            return transaction;
        }
        Commit commit = transaction.commit();
        Long number = commitNumbers.get(transaction.xid());
        if (number == null) {
            return commit.outcome() == Outcome.UNKNOWN ? transaction.with(commit.proved(Outcome.ABORTED)) : transaction;
        }
        if (commit.outcome() == Outcome.ABORTED) {
            throw new IllegalStateException("T" + transaction.number() + " (xid " + transaction.xid()
                    + ") was recorded as aborted, but the WAL has its commit");
        }
        return transaction.with(commit.numbered(number));
    }
}

package io.postrider.proof.check;

import io.postrider.proof.history.Commit;
import io.postrider.proof.history.EmittedEvent;
import io.postrider.proof.history.Outcome;
import io.postrider.proof.history.Transaction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;
import java.util.function.ToLongFunction;

/**
 * Assigns a number to every emitted event, so that the rules can work with arrays: first those of the first transaction in the
 * order of emitting, then those of the second, and so on. Transactions are identified by their index likewise.
 */
final class EventTable {
    /** The number of an event that was never emitted. */
    static final int NOBODYS = -1;

    private final List<Transaction> transactions;
    private final EmittedEvent[] events;
    /** A copy of both halves of the event ids: reading them from the objects took half of the checker's time. */
    private final long[] highs;

    private final long[] lows;
    private final int[] transactionOf;
    private final int[] firstEventOf;
    private final BitSet committed = new BitSet();
    /** A hash table with open addressing by UUID: event number + 1, or 0. Eight bytes per event; a HashMap would take fifty. */
    private final int[] slots;

    EventTable(List<Transaction> transactions) {
        this.transactions = new ArrayList<>(transactions);
        int count = transactions.stream().mapToInt(t -> t.events().size()).sum();
        events = new EmittedEvent[count];
        highs = new long[count];
        lows = new long[count];
        transactionOf = new int[count];
        firstEventOf = new int[transactions.size()];
        slots = new int[Integer.highestOneBit(Math.max(count, 4)) * 4];
        number();
    }

    private void number() {
        int event = 0;
        for (int transaction = 0; transaction < transactions.size(); transaction++) {
            firstEventOf[transaction] = event;
            committed.set(transaction, commit(transaction).outcome() == Outcome.COMMITTED);
            for (EmittedEvent emitted : transactions.get(transaction).events()) {
                events[event] = emitted;
                transactionOf[event] = transaction;
                index(event++);
            }
        }
    }

    private void index(int event) {
        UUID id = events[event].event();
        highs[event] = id.getMostSignificantBits();
        lows[event] = id.getLeastSignificantBits();
        int slot = slot(highs[event], lows[event]);
        if (slots[slot] != 0) {
            throw new IllegalArgumentException(describe(slots[slot] - 1) + " was emitted again by " + describe(event)
                    + ": every emit needs a new id");
        }
        slots[slot] = event + 1;
    }

    int size() {
        return events.length;
    }

    /** The number of the event with this id, or {@link #NOBODYS}. */
    int find(long high, long low) {
        return slots[slot(high, low)] - 1;
    }

    EmittedEvent emitted(int event) {
        return events[event];
    }

    int transactions() {
        return transactions.size();
    }

    /** The transaction that emitted an event. */
    int transactionOf(int event) {
        return transactionOf[event];
    }

    Transaction transaction(int transaction) {
        return transactions.get(transaction);
    }

    Commit commit(int transaction) {
        return transactions.get(transaction).commit();
    }

    /** A position of one of its events proves that a transaction of unknown outcome committed. */
    void provedByPosition(int event) {
        int transaction = transactionOf[event];
        if (!events[event].undone() && commit(transaction).outcome() == Outcome.UNKNOWN) {
            committed.set(transaction);
        }
    }

    /** Whether an event must be delivered (G1): its transaction committed, and no savepoint rolled it back. */
    boolean counts(int event) {
        return event != NOBODYS && committed.get(transactionOf[event]) && !events[event].undone();
    }

    String describe(int event) {
        int transaction = transactionOf[event];
        EmittedEvent emitted = events[event];
        return "event " + emitted.event() + " (" + name(transaction) + "." + (event - firstEventOf[transaction] + 1)
                + ", id " + emitted.databaseId() + ")";
    }

    /** Why an event does not {@linkplain #counts count}. */
    String describeFault(int event, long high, long low) {
        if (event == NOBODYS) {
            return "event " + new UUID(high, low) + ", which nobody emitted";
        }
        return describe(event) + (events[event].undone() ? ", rolled back with a savepoint" : ", rolled back");
    }

    String name(int transaction) {
        return "T" + transactions.get(transaction).number();
    }

    /** Rejects evidence in which two committed transactions share a number that must be unique. */
    void requireDistinct(String what, ToLongFunction<Transaction> number) {
        long[] numbers = committed.stream()
                .mapToLong(transaction -> number.applyAsLong(transactions.get(transaction)))
                .filter(n -> n != 0)
                .toArray();
        Arrays.sort(numbers);
        for (int i = 1; i < numbers.length; i++) {
            if (numbers[i] == numbers[i - 1]) {
                throw new IllegalArgumentException("two committed transactions have the " + what + " " + numbers[i]);
            }
        }
    }

    private int slot(long high, long low) {
        long mixed = (high ^ Long.rotateLeft(low, 32)) * 0x9E3779B97F4A7C15L;
        int slot = (int) (mixed >>> 32) & (slots.length - 1);
        while (slots[slot] != 0 && !is(slots[slot] - 1, high, low)) {
            slot = (slot + 1) & (slots.length - 1);
        }
        return slot;
    }

    private boolean is(int event, long high, long low) {
        return lows[event] == low && highs[event] == high;
    }
}

package io.postrider.proof.check;

import io.postrider.proof.history.Readings;
import io.postrider.proof.history.TopicLog;
import java.util.Comparator;
import java.util.UUID;
import java.util.stream.IntStream;

/** A topic's log ordered by position, with its events by number. */
final class OrderedLog {
    private final String topic;
    private final long base;
    private final Readings readings;
    /** For each row, the index of its reading. */
    private final int[] rows;

    private final int[] events;

    OrderedLog(TopicLog log, EventTable table) {
        topic = log.topic();
        base = log.base();
        readings = log.readings();
        rows = inOrder(readings);
        events = new int[rows.length];
        for (int row = 0; row < rows.length; row++) {
            events[row] = table.find(readings.eventHigh(rows[row]), readings.eventLow(rows[row]));
        }
    }

    String topic() {
        return topic;
    }

    long base() {
        return base;
    }

    int size() {
        return rows.length;
    }

    long position(int row) {
        return readings.position(rows[row]);
    }

    long head() {
        return rows.length == 0 ? base : position(rows.length - 1);
    }

    /** The number of the event in a row, or {@link EventTable#NOBODYS}. */
    int event(int row) {
        return events[row];
    }

    long eventHigh(int row) {
        return readings.eventHigh(rows[row]);
    }

    long eventLow(int row) {
        return readings.eventLow(rows[row]);
    }

    UUID eventId(int row) {
        return readings.event(rows[row]);
    }

    /** The first row at or after a position; {@link #size()} if there is none. */
    int rowFrom(long position) {
        // In a log without gaps, the normal case, this is immediate; only a log with gaps needs the search.
        long guess = position - base - 1;
        if (guess >= 0 && guess < rows.length && isFirstAt((int) guess, position)) {
            return (int) guess;
        }
        int low = 0;
        int high = rows.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (position(middle) < position) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The row at a position, or -1. */
    int rowAt(long position) {
        int row = rowFrom(position);
        return row < rows.length && position(row) == position ? row : -1;
    }

    /** The row itself, unless others share its position. */
    int lastRowAtPositionOf(int row) {
        int last = row;
        while (last + 1 < rows.length && position(last + 1) == position(row)) {
            last++;
        }
        return last;
    }

    private boolean isFirstAt(int row, long position) {
        return position(row) == position && (row == 0 || position(row - 1) < position);
    }

    private static int[] inOrder(Readings readings) {
        IntStream rows = IntStream.range(0, readings.size());
        boolean ordered =
                IntStream.range(1, readings.size()).allMatch(i -> readings.position(i - 1) <= readings.position(i));
        return ordered
                ? rows.toArray()
                : rows.boxed()
                        .sorted(Comparator.comparingLong(readings::position))
                        .mapToInt(Integer::intValue)
                        .toArray();
    }
}

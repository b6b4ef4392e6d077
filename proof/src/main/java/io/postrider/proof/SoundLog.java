package io.postrider.proof;

import java.util.Arrays;

/**
 * The part of a topic's log that may be judged for order: every event in it committed, and stands in it once. So an
 * event that should not be there, or that is there twice, is reported for that and not for the disorder it makes.
 */
final class SoundLog {
    private final String topic;
    private long[] positions;
    private int[] events;
    private int size;

    SoundLog(String topic, int capacity) {
        this.topic = topic;
        positions = new long[capacity];
        events = new int[capacity];
    }

    void add(long position, int event) {
        positions[size] = position;
        events[size++] = event;
    }

    String topic() {
        return topic;
    }

    int size() {
        return size;
    }

    long position(int index) {
        return positions[index];
    }

    int event(int index) {
        return events[index];
    }

    /** The event at a position that is known to be in it. */
    int eventAt(long position) {
        return events[Arrays.binarySearch(positions, 0, size, position)];
    }
}

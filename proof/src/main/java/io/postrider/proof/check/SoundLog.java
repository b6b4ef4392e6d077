package io.postrider.proof.check;

import java.util.Arrays;

/**
 * The part of a topic's log that is checked for order: every event in it is committed and occurs once. So an event that should
 * not exist, or that exists twice, is reported for that and not for the disorder it causes.
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

    /** The event at a position that is known to exist. */
    int eventAt(long position) {
        return events[Arrays.binarySearch(positions, 0, size, position)];
    }
}

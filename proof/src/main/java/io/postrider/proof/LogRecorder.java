package io.postrider.proof;

import java.util.UUID;

/** Records the log of one topic, as a reader of the table finds it at the end. Threads may share it. */
public final class LogRecorder {
    private final String topic;
    private final Readings.Collector readings = new Readings.Collector();
    private volatile long base;

    LogRecorder(String topic) {
        this.topic = topic;
    }

    /** The topic was not empty before the run: its head was here. */
    public LogRecorder startsAfter(long head) {
        base = head;
        return this;
    }

    /** An event stands at a position. */
    public LogRecorder at(long position, UUID event) {
        readings.add(position, event);
        return this;
    }

    TopicLog log() {
        return new TopicLog(topic, base, readings.collected());
    }
}

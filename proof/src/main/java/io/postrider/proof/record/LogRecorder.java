package io.postrider.proof.record;

import io.postrider.proof.history.Readings;
import io.postrider.proof.history.TopicLog;
import java.util.UUID;

/** Records the log of one topic, as read from the table at the end. Threads may share it. */
public final class LogRecorder {
    private final String topic;
    private final Readings.Collector readings = new Readings.Collector();
    private volatile long base;

    LogRecorder(String topic) {
        this.topic = topic;
    }

    /** The topic was not empty before the run; this was its head. */
    public LogRecorder startsAfter(long head) {
        base = head;
        return this;
    }

    /** There is an event at this position. */
    public LogRecorder at(long position, UUID event) {
        readings.add(position, event);
        return this;
    }

    public TopicLog log() {
        return new TopicLog(topic, base, readings.collected());
    }
}

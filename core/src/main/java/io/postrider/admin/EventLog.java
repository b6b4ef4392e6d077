package io.postrider.admin;

import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.Reach;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The event log: a searchable copy of the topics whose {@link #listener} was added to a node. Every read is limited to a
 * {@link Reach}, which the database enforces. The event log follows the log within milliseconds and contains each committed event
 * exactly once. Thread-safe.
 */
public interface EventLog {
    /** The listener that records a topic, {@code event_log:{topic}}. Add it to a node and do not change its types. */
    Listener listener(String topic);

    /**
     * Lists topics that can be recorded: every topic except the lanes of queues. Topics that are already recorded come first, so
     * that new topics do not displace them.
     */
    List<String> topics(int most);

    /**
     * Reads events of a topic after a position, in log order.
     *
     * @param filter must name a topic, because positions of different topics cannot be compared
     * @param most 1..1000; fewer are returned if they are larger than 8 MiB
     */
    List<LogEvent> read(Reach reach, EventFilter filter, long after, int most);

    /**
     * The same with a smaller page.
     *
     * @param bytes the page ends when its payloads and headers have this size; at most 8 MiB
     */
    List<LogEvent> read(Reach reach, EventFilter filter, long after, int most, long bytes);

    /**
     * Reads events before a cursor, ordered by time, the latest first.
     *
     * @param most 1..1000; fewer are returned if they are larger than 8 MiB
     */
    List<LogEvent> read(Reach reach, EventFilter filter, EventLogCursor before, int most);

    /** One event; empty if there is none in reach. */
    Optional<LogEvent> find(Reach reach, UUID eventId);

    /** The last event of an aggregate in a topic; empty if there is none in reach. */
    Optional<LogEvent> latest(Reach reach, String topic, String aggregateType, String aggregateId);

    /**
     * Reads the events of some rooms at positions {@code after < position <= upto}, each once, for a subscriber that resumes.
     *
     * @param span must not end after {@link #reached}: later events are not recorded yet
     * @param most 1..1000
     * @param bytes the page ends when its payloads and headers have this size; at most 8 MiB
     */
    EventPage page(Reach reach, Rooms rooms, Span span, int most, long bytes);

    /** A range of a topic: {@code after < position <= upto}. */
    record Span(String topic, long after, long upto) {}

    /** The oldest position from which every later event of a topic is recorded; {@link #reached} + 1 if none is. */
    long oldest(String topic);

    /** The last position of a topic that was recorded; 0 if none was. */
    long reached(String topic);

    /** Whether the {@link #listener} of a topic was added to any node, even if it is stopped now. */
    boolean isRecorded(String topic);

    /** Whether the topic has had events for 10 s and its {@link #listener} was never added: reads find nothing. */
    boolean isUnrecorded(String topic);

    /** Counts events. */
    Analytics analytics();

    /**
     * Records again the events of a topic that the log still has, in the background and in order. Each row remains until it is
     * replaced, and {@link #reached} starts again. Events that the log no longer has remain; events beyond its head, from another
     * log, are removed.
     */
    void rebuild(String topic);

    /** How long the event log keeps events, independently of the log: 1 hour..100 years, default 90 days. */
    void keep(Duration keep);
}

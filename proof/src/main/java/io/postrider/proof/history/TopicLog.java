package io.postrider.proof.history;

/**
 * A topic's log as read at the end of the run.
 *
 * @param topic its name
 * @param base the head before the run: positions up to it are not part of the history, usually 0
 * @param readings the event at each position
 */
public record TopicLog(String topic, long base, Readings readings) {}

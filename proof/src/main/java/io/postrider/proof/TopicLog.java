package io.postrider.proof;

/**
 * A topic's log as it was read when everything was over.
 *
 * @param topic its name
 * @param base the head before the run: positions up to it are no part of the history, usually 0
 * @param readings which event stands at which position
 */
public record TopicLog(String topic, long base, Readings readings) {}

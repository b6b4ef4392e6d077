package io.postrider;

/**
 * The way of one relay along its topic, from one starting point to the next: a reset begins another course. What a sink has of
 * another course says nothing about this one.
 *
 * @param number greater for a later course
 */
public record Course(String relay, String topic, long number) {}

package io.postrider;

/**
 * The run of a relay from one starting point; each reset begins a new epoch. The events that a sink holds from another epoch say
 * nothing about this one.
 *
 * @param number greater for a later epoch
 */
public record RelayEpoch(String relay, String topic, long number) {}

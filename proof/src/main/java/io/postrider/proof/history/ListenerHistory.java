package io.postrider.proof.history;

import java.util.Optional;

/**
 * What one listener did in the run.
 *
 * @param reader the listener, its topic and its start
 * @param finished whether the run waited until it had reached the head; only then is an event that it has not seen a fault
 * @param handled every call of its handler, including calls that failed or were rolled back
 * @param effects for a transactional listener, its effects table at the end in the order of writing; then
 *     {@code handled} may be left empty
 */
public record ListenerHistory(Reader reader, boolean finished, Readings handled, Optional<Readings> effects) {
    /**
     * A listener's name, its topic, and the position after which it began.
     */
    public record Reader(String name, String topic, long startAfter) {}
}

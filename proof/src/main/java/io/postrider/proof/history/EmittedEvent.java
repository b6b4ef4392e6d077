package io.postrider.proof.history;

import java.util.UUID;

/**
 * One event that a transaction wrote. The order of {@link Transaction#events()} is the order of emitting.
 *
 * @param event its {@code event_id}, new for every emit
 * @param topic the log it goes to
 * @param key its key and the version under which the transaction held the key's lock <em>before</em> it emitted, or
 *     {@link KeyVersion#NOT_HELD}: then the order by key is not guaranteed; an empty key means no key
 * @param databaseId the number from the sequence
 * @param undone whether it was rolled back with a savepoint
 * @param sight what the transaction could see when it emitted this
 */
public record EmittedEvent(
        UUID event, String topic, KeyVersion key, long databaseId, boolean undone, Visibility sight) {
    public boolean heldItsKey() {
        return key.version() != KeyVersion.NOT_HELD;
    }

    public EmittedEvent withUndone() {
        return new EmittedEvent(event, topic, key, databaseId, true, sight);
    }
}

package io.postrider.proof;

import java.util.UUID;

/**
 * One event that a transaction wrote. Its place in {@link Transaction#events()} is the order of emitting.
 *
 * @param event its {@code event_id}, new for every emit
 * @param topic the log it goes to
 * @param key its key and the version under which the transaction held the key's lock <em>before</em> it emitted, or
 *     {@link KeyVersion#NOT_HELD}: then no order is owed to the key; an empty key is no key
 * @param databaseId the number drawn from the sequence
 * @param undone whether it was rolled back with a savepoint
 * @param sight what the transaction could see when it emitted this
 */
public record Emitted(UUID event, String topic, KeyVersion key, long databaseId, boolean undone, Sight sight) {
    boolean heldItsKey() {
        return key.version() != KeyVersion.NOT_HELD;
    }

    Emitted withUndone() {
        return new Emitted(event, topic, key, databaseId, true, sight);
    }
}

package io.postrider.internal.listen;

import java.time.Duration;

/**
 * The state of a listener in the database.
 *
 * @param epoch the number of its last starting point, from the clock of the database: another one means that it was reset
 * @param unavailableTries how often its sink was tried in vain, if it is a relay whose sink is unavailable
 * @param unavailableFor how long its sink is left alone from now on
 * @param shadowUpto the last position in shadow; 0 if it is live
 */
record ListenerState(
        long cursor, int era, long epoch, int unavailableTries, Duration unavailableFor, long shadowUpto) {}

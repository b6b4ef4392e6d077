package io.postrider.internal.listen;

import java.time.Duration;

/**
 * The state of a listener in the database.
 *
 * @param startRow the row of its last starting point: another one means that it was reset
 * @param epoch how many starting points it has had
 * @param unavailableTries number of failed attempts to reach its sink, if it is a relay whose sink is unavailable
 * @param unavailableFor how long its sink is left alone from now on
 */
record ListenerState(long cursor, long startRow, int era, long epoch, int unavailableTries, Duration unavailableFor) {}

package io.postrider.history;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How many events were created in one stretch of time.
 *
 * @param bucket where the stretch begins
 * @param name the type, project or user; null for those that have none, or if there are no groups
 */
public record Count(Instant bucket, @Nullable String name, long events) {}

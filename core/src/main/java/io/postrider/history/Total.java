package io.postrider.history;

import org.jspecify.annotations.Nullable;

/**
 * How many events of a group there are.
 *
 * @param name the type, project or user; null for those that have none, or if there are no groups
 */
public record Total(@Nullable String name, long events) {}

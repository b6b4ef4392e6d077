package io.postrider.internal.watch;

import io.postrider.admin.Watch;

/**
 * Where a node reports what it does: to its {@link Watch} and in its log.
 *
 * @param node its name, the {@code worker_id} of log lines and metrics
 */
public record Reports(String node, Watch watch, ActivityLog lines) {}

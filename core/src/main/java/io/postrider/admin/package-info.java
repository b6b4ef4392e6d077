/**
 * The API for operators and tools: jobs, queues, schedules, listeners, relays, dead letters, the log and the event log, revoked
 * tokens, migrations, checks, and the hooks and figures for metrics. {@link io.postrider.Postrider} returns each of these.
 *
 * <p>It has the same stability guarantee as {@link io.postrider}. The library itself implements the interfaces, which may get new
 * methods in a minor release, except {@link io.postrider.admin.Watch} and {@link io.postrider.admin.Log.Follower}, which
 * applications implement: their new methods have defaults.
 */
@NullMarked
package io.postrider.admin;

import org.jspecify.annotations.NullMarked;

/**
 * Jobs and queues for operators and the API: find, list, cancel, retry, pause, limit. Implements {@code admin.Jobs} and
 * {@code admin.Queues}.
 */
@NullMarked
package io.postrider.internal.jobs;

import org.jspecify.annotations.NullMarked;

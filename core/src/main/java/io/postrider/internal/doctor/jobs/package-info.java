/** Checks of queues, workers and schedules. */
@NullMarked
package io.postrider.internal.doctor.jobs;

import org.jspecify.annotations.NullMarked;

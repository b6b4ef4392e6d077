/**
 * Runs jobs: {@link io.postrider.internal.work.Workers} is the job side of a node, {@link io.postrider.internal.work.QueueRun} the
 * loop of one queue, {@link io.postrider.internal.work.JobRun} calls the handlers.
 */
@NullMarked
package io.postrider.internal.work;

import org.jspecify.annotations.NullMarked;

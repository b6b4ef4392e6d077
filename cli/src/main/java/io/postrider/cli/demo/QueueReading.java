package io.postrider.cli.demo;

import io.postrider.admin.Queues;

/**
 * The state of a queue.
 *
 * @param done number of its jobs that this run has completed
 */
record QueueReading(Queues.Status status, long done) {
    /** The number of unfinished jobs. */
    long open() {
        return status.depth() + status.running() + status.scheduled();
    }
}

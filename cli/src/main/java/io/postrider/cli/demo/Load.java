package io.postrider.cli.demo;

import io.postrider.work.Queues;

/**
 * How a queue stands.
 *
 * @param done jobs of it that this run has done
 */
record Load(Queues.Status status, long done) {
    /** Jobs that are not finished. */
    long open() {
        return status.depth() + status.running() + status.scheduled();
    }
}

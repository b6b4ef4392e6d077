package io.postrider.cli.demo;

import io.postrider.Postrider;
import io.postrider.admin.Listeners;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The values that the dashboard shows, taken at one time. */
record Reading(
        Duration elapsed,
        long events,
        long committed,
        long rolledBack,
        long head,
        List<Listeners.Status> listeners,
        List<QueueReading> queues) {

    /** Reads only the demo's own queues: other queues of a visitor have no worker, and their jobs are not waited for. */
    static Reading of(Duration elapsed, DemoCounters counters, Postrider node) {
        List<Listeners.Status> listeners = node.listeners().list();
        return new Reading(
                elapsed,
                counters.events.sum(),
                counters.committed.sum(),
                counters.rolledBack.sum(),
                listeners.stream().mapToLong(Listeners.Status::head).max().orElse(0),
                listeners,
                node.queues().list().stream()
                        .filter(one -> DemoWorkers.QUEUES.contains(one.name()))
                        .map(one -> new QueueReading(one, counters.done(one.name())))
                        .toList());
    }

    Optional<Listeners.Status> listener(String name) {
        return listeners.stream().filter(one -> one.name().equals(name)).findFirst();
    }

    long position(String name) {
        return listener(name).map(Listeners.Status::position).orElse(0L);
    }

    long lag(String name) {
        return listener(name).map(Listeners.Status::lag).orElse(0L);
    }

    Optional<QueueReading> queue(String name) {
        return queues.stream().filter(one -> one.status().name().equals(name)).findFirst();
    }

    long done(String queue) {
        return queue(queue).map(QueueReading::done).orElse(0L);
    }

    long depth(String queue) {
        return queue(queue).map(one -> one.status().depth()).orElse(0L);
    }

    /**
     * Whether all listeners and queues that are not paused have finished their work.
     *
     * @param orders number of committed orders
     */
    boolean isFinished(long orders) {
        return head >= orders
                && listeners.stream().allMatch(one -> one.paused() || (one.lag() == 0 && one.setbacks() == 0))
                && queues.stream().allMatch(one -> one.status().paused() || one.open() == 0);
    }
}

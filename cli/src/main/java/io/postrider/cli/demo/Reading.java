package io.postrider.cli.demo;

import io.postrider.Postrider;
import io.postrider.listen.Listeners;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What the board shows: one look at everything. */
record Reading(
        Duration elapsed,
        long events,
        long committed,
        long rolledBack,
        long head,
        List<Listeners.Status> listeners,
        List<Load> queues) {

    /** Of the demo's own queues: what a visitor enqueues elsewhere nobody does, and nobody need wait for it. */
    static Reading of(Duration elapsed, Tally tally, Postrider node) {
        List<Listeners.Status> listeners = node.listeners();
        return new Reading(
                elapsed,
                tally.events.sum(),
                tally.committed.sum(),
                tally.rolledBack.sum(),
                listeners.stream().mapToLong(Listeners.Status::head).max().orElse(0),
                listeners,
                node.queues().list().stream()
                        .filter(one -> Depot.QUEUES.contains(one.name()))
                        .map(one -> new Load(one, tally.done(one.name())))
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

    Optional<Load> queue(String name) {
        return queues.stream().filter(one -> one.status().name().equals(name)).findFirst();
    }

    long done(String queue) {
        return queue(queue).map(Load::done).orElse(0L);
    }

    long depth(String queue) {
        return queue(queue).map(one -> one.status().depth()).orElse(0L);
    }

    /**
     * Whether everybody has finished what there is, as far as nobody has paused it.
     *
     * @param orders committed orders
     */
    boolean isFinished(long orders) {
        return head >= orders
                && listeners.stream().allMatch(one -> one.paused() || (one.lag() == 0 && one.setbacks() == 0))
                && queues.stream().allMatch(one -> one.status().paused() || one.open() == 0);
    }
}

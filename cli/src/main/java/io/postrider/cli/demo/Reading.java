package io.postrider.cli.demo;

import io.postrider.listen.Listeners;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What the board shows: one look at everything. */
record Reading(
        Duration elapsed, long events, long committed, long rolledBack, long head, List<Listeners.Status> listeners) {

    static Reading of(Duration elapsed, Tally tally, List<Listeners.Status> listeners) {
        long head = listeners.stream().mapToLong(Listeners.Status::head).max().orElse(0);
        return new Reading(elapsed, tally.events.sum(), tally.committed.sum(), tally.rolledBack.sum(), head, listeners);
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
}

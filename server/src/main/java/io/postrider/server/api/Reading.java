package io.postrider.server.api;

import io.postrider.db.Database;
import io.postrider.history.EventLog;
import io.postrider.listen.DeadLetters;
import io.postrider.listen.Relays;
import io.postrider.work.Jobs;
import io.postrider.work.Queues;

/** What is asked for and not changed: on connections of its own, so that those who read take none from those who write. */
public record Reading(
        EventLog eventLog, Jobs jobs, DeadLetters deadLetters, Queues queues, Relays relays, Readers readers) {

    /** Of this database, by so many at once. */
    public static Reading of(Database database, int readers) {
        EventLog eventLog = new EventLog(database, listener -> {
            throw new IllegalStateException("this one is for reading");
        });
        return new Reading(
                eventLog,
                new Jobs(database),
                new DeadLetters(database),
                new Queues(database),
                new Relays(database),
                new Readers(readers));
    }
}

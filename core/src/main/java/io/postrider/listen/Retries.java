package io.postrider.listen;

import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.Policy;
import io.postrider.db.Database;
import io.postrider.listen.Fate.Delivered;
import io.postrider.listen.Fate.Failed;
import io.postrider.listen.Fate.Unavailable;
import io.postrider.listen.Fate.Unnoted;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** The setbacks of a listener behind its cursor: parked, skipped, replayed. Each is tried when it is due, the first of each key. */
final class Retries {
    private static final int DUE_AT_ONCE = 50;

    /** So long the log waits for them, and for the one that was just begun. With 50 at a slow sink it waited for minutes. */
    private static final Duration TURN = Duration.ofMillis(200);

    private static final Duration NOBODY_WAITS = Duration.ofHours(1);

    private final Database database;
    private final Listener listener;
    private final Performer performer;
    private final Setbacks setbacks;
    private final Attempts attempts;
    private final Account account;
    private final Outlet outlet;
    private final Post post;
    private long dueAt;
    private Set<String> parkedKeys = Set.of();

    /** What a listener shares with its retries. */
    record Shared(
            Database database,
            Listener listener,
            Performer performer,
            Setbacks setbacks,
            Attempts attempts,
            Account account,
            Outlet outlet) {}

    Retries(Shared shared, Post post) {
        this.database = shared.database();
        this.listener = shared.listener();
        this.performer = shared.performer();
        this.setbacks = shared.setbacks();
        this.attempts = shared.attempts();
        this.account = shared.account();
        this.outlet = shared.outlet();
        this.post = post;
    }

    /** Whether an event has to wait behind an earlier one of its key. */
    boolean isParked(LogEvent event) {
        return event.key() != null && parkedKeys.contains(event.key());
    }

    boolean hasParked() {
        return !parkedKeys.isEmpty();
    }

    boolean isDue() {
        return System.nanoTime() - dueAt >= 0;
    }

    Duration untilDue() {
        return Duration.ofNanos(Math.max(0, dueAt - System.nanoTime()));
    }

    /** Reads which keys wait, and when the next event is due. */
    void look(long cursor) {
        if (listener.policy() == Policy.PARK) {
            parkedKeys = database.autocommit(setbacks::parkedKeys);
        }
        schedule(cursor);
    }

    void schedule(long cursor) {
        Optional<Duration> wait = database.autocommit(session -> setbacks.nextDue(session, cursor, post.isShared()));
        dueAt = System.nanoTime() + wait.orElse(NOBODY_WAITS).toNanos();
    }

    /** Tries those that are due, for a moment: then the log has its turn. */
    void turn(long cursor, BooleanSupplier goesOn) throws InterruptedException {
        long end = System.nanoTime() + TURN.toNanos();
        for (Setbacks.Due due :
                database.autocommit(session -> setbacks.due(session, cursor, DUE_AT_ONCE, post.isShared()))) {
            if (!goesOn.getAsBoolean()) {
                return;
            }
            decide(due);
            if (System.nanoTime() - end >= 0) {
                break;
            }
        }
        look(cursor);
    }

    private void decide(Setbacks.Due due) throws InterruptedException {
        long position = due.event().position();
        if (attempts.isDone(position, due.event().id(), due.attempt())) {
            database.transaction(session -> setbacks.clear(session, position, due.attempt()));
            attempts.noted(position);
            done(due.event(), due.attempt(), System.nanoTime());
        } else if (due.attempt() >= listener.attempts()) {
            account.bury(position, due.attempt(), session -> true);
        } else if (outlet.makeSure()) {
            retry(due.event(), due.attempt());
        }
    }

    private void retry(LogEvent event, int before) throws InterruptedException {
        int attempt = database.transaction(session ->
                setbacks.beginAgain(session, event.position(), before).orElse(0));
        if (attempt == 0) {
            return; // another worker is at it, or done with it
        }
        long began = System.nanoTime();
        Fate fate = attempts.make(event, attempt, false, session -> {
            performer.refuseAnother(session);
            return setbacks.clear(session, event.position(), attempt);
        });
        if (fate instanceof Delivered) {
            outlet.answered();
            done(event, attempt, began);
        } else if (fate instanceof Failed failed) {
            outlet.answered();
            Duration wait = account.waitAfter(attempt, failed);
            database.transaction(session -> {
                setbacks.setBackAgain(session, event.position(), attempt, wait, failed.error());
                return true;
            });
            account.failed(event, attempt, wait, failed.error());
        } else if (fate instanceof Unavailable away) {
            attempts.takeBack(event, attempt, false);
            outlet.away(away);
        } else if (fate instanceof Unnoted unnoted) {
            throw unnoted.error();
        }
        // lost: another worker has begun an attempt of its own
    }

    private void done(LogEvent event, int attempt, long began) {
        account.succeeded(List.of(event), attempt);
        account.delivered(event.position(), event.position(), 1, began);
    }
}

package io.postrider.work;

import io.postrider.ClaimedJob;
import io.postrider.Fate;
import io.postrider.JobHandler;
import io.postrider.PostriderException;
import io.postrider.Worker;
import io.postrider.db.CommitRefusedException;
import io.postrider.db.Database;
import io.postrider.db.Session;
import io.postrider.db.Sql;
import io.postrider.watch.Watch;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the handler of one job, makes of its fate what is to be written down, and hands that on. Safe to share. */
final class JobRun {
    private static final Logger log = LoggerFactory.getLogger(JobRun.class);
    private static final Sql MARK = Sql.file("work/mark");

    /** An error is kept for a person to read, not as a dump. */
    private static final int LONGEST_ERROR = 4_000;

    private final Database database;
    private final Worker worker;
    private final Settler settler;
    private final ScheduledExecutorService watchman;
    private final Watch watch;
    private final Map<Holding.Place, Running> running = new ConcurrentHashMap<>();
    private final Map<Holding.Place, String> cancelled = new ConcurrentHashMap<>();
    private volatile boolean closing;

    JobRun(Database database, Worker worker, Settler settler, ScheduledExecutorService watchman, Watch watch) {
        this.database = database;
        this.worker = worker;
        this.settler = settler;
        this.watchman = watchman;
        this.watch = watch;
    }

    /** From now on, a job that is interrupted is handed back. */
    void close() {
        closing = true;
    }

    /** The jobs that run now. */
    Collection<Holding.Place> running() {
        return running.keySet();
    }

    /** Somebody does not want this job any more: one that waits is not begun, one that runs is interrupted. */
    void cancel(Holding.Place place, String reason) {
        cancelled.put(place, reason);
        Running now = running.get(place);
        if (now != null) {
            now.interrupt(Running.Why.CANCELLED);
        }
    }

    /** Positions may belong to other jobs from now on: only running jobs can still be cancelled. */
    void forgetCancelled() {
        cancelled.keySet().retainAll(running.keySet());
    }

    /** Gives how long it took, in nanoseconds. */
    long run(Holding holding) {
        Worker.Kind kind = worker.kind(holding.job().type());
        if (kind == null) {
            throw new IllegalStateException("no handler for " + holding.job().type());
        }
        Running now = new Running(Thread.currentThread());
        running.put(holding.place(), now);
        begun(holding);
        @Nullable Ending ending;
        try {
            ending = run(holding, kind, now);
        } finally {
            running.remove(holding.place(), now); // it may already run again under another number
        }
        String reason = cancelled.isEmpty() ? null : cancelled.remove(holding.place());
        if (ending != null) {
            settler.add(new Settler.Ended(
                    holding,
                    reason != null && ending instanceof Ending.Aside ? new Ending.Cancelled(reason) : ending,
                    reason != null || ending instanceof Ending.Cancelled,
                    kind.handler() instanceof JobHandler.Transactional,
                    now.nanos()));
        }
        return now.nanos();
    }

    private void begun(Holding holding) {
        ClaimedJob job = holding.job();
        watch.jobBegun(job);
        if (log.isDebugEnabled()) {
            log.debug(
                    "job_claimed queue={} job_type={} job_id={} attempt={} worker={}",
                    job.queue(),
                    job.type(),
                    job.id(),
                    job.attempt(),
                    holding.worker());
        }
    }

    private @Nullable Ending run(Holding holding, Worker.Kind kind, Running now) {
        String reason = cancelled.isEmpty() ? null : cancelled.get(holding.place());
        if (reason != null) {
            return new Ending.Cancelled(reason);
        }
        Duration timeout = kind.timeout();
        Future<?> alarm = timeout == null
                ? null
                : watchman.schedule(
                        () -> now.interrupt(Running.Why.TIMEOUT), timeout.toMillis(), TimeUnit.MILLISECONDS);
        try {
            if (kind.handler() instanceof JobHandler.Transactional transactional) {
                return inTransaction(transactional, holding, kind, now);
            }
            return ending(kind, holding.job(), ((JobHandler.Plain) kind.handler()).handle(holding.job()));
        } catch (Throwable e) {
            return failed(kind, holding, e, now.end());
        } finally {
            now.end();
            if (alarm != null) {
                alarm.cancel(false);
            }
        }
    }

    /** Null: it is written down already, or was not ours any more. */
    private @Nullable Ending inTransaction(
            JobHandler.Transactional handler, Holding holding, Worker.Kind kind, Running now) throws Exception {
        ClaimedJob job = holding.job();
        Settler.Ended[] done = {done(holding, new Ending.Done(null), now)};
        try {
            boolean ours = database.handlerTransaction(session -> {
                session.call(
                        MARK,
                        bind -> bind.int8("worker", holding.worker())
                                .text("job", job.id().toString()));
                Fate fate = handle(handler, session, job);
                now.end();
                Ending ending = ending(kind, job, fate);
                if (!(ending instanceof Ending.Done)) {
                    throw new RollBackException(ending);
                }
                done[0] = done(holding, ending, now);
                return switch (settler.settleIn(session, done[0])) {
                    case WRITTEN -> true;
                    case LOST -> throw new RollBackException(null);
                    case CANCELLED -> throw new RollBackException(new Ending.Cancelled("cancelled"));
                };
            });
            settler.isSettled(done[0], ours);
            return null;
        } catch (RollBackException e) {
            if (e.ending == null) {
                settler.isSettled(done[0], false);
            }
            return e.ending;
        } catch (HandlerException e) {
            throw e.thrown;
        } catch (CommitRefusedException e) {
            throw e.reason() instanceof Exception reason ? reason : e;
        }
    }

    private static Settler.Ended done(Holding holding, Ending ending, Running now) {
        return new Settler.Ended(holding, ending, false, true, now.nanos());
    }

    private static Fate handle(JobHandler.Transactional handler, Session session, ClaimedJob job) {
        try {
            Fate fate = handler.handle(session.handlerConnection(), job);
            if (fate instanceof Fate.Done) {
                session.flush();
            }
            if (!session.isOpen()) {
                throw Settler.elsewhere();
            }
            if (session.isAborted() && fate instanceof Fate.Done) {
                throw new SQLException("the handler swallowed a database error: its transaction is aborted and cannot"
                        + " commit. Throw the error, or roll back to a savepoint");
            }
            if (!(fate instanceof Fate.Done) && !session.isAborted()) {
                Settler.requireMarked(session, job); // what is to be rolled back must not have been committed
            }
            return fate;
        } catch (Exception e) {
            throw new HandlerException(e);
        }
    }

    private static Ending ending(Worker.Kind kind, ClaimedJob job, @Nullable Fate fate) {
        if (fate instanceof Fate.Done done) {
            return new Ending.Done(done.result());
        }
        if (fate instanceof Fate.Snooze snooze) {
            return new Ending.Aside("snooze", snooze.in());
        }
        if (fate instanceof Fate.Unavailable away) {
            return new Ending.Aside(
                    "unavailable", away.retryAfter(), false, "unavailable", readable(away.reason()), null);
        }
        if (fate instanceof Fate.Dead dead) {
            return new Ending.Dead("dead", readable(dead.reason()));
        }
        if (fate instanceof Fate.Cancel cancel) {
            return new Ending.Cancelled(readable(cancel.reason()));
        }
        if (fate instanceof Fate.Retry retry) {
            return retry(kind, job, retry.in(), "retry", "the handler asked for a retry", retry.error());
        }
        return retry(
                kind, job, null, "no_fate", "the handler gave back null instead of a fate, such as Fate.done()", null);
    }

    private static Ending retry(
            Worker.Kind kind,
            ClaimedJob job,
            @Nullable Duration in,
            String code,
            String error,
            @Nullable Throwable cause) {
        return kind.retry()
                .after(job.attempt())
                .<Ending>map(wait -> new Ending.Aside("retry", in == null ? wait : in, true, code, error, cause))
                .orElseGet(() -> new Ending.Dead(code, error, cause));
    }

    private Ending failed(Worker.Kind kind, Holding holding, Throwable e, Running.@Nullable Why interrupted) {
        ClaimedJob job = holding.job();
        if (interrupted == Running.Why.CANCELLED) {
            return new Ending.Cancelled(cancelled.getOrDefault(holding.place(), "cancelled"));
        }
        if (closing && (e instanceof InterruptedException || Thread.interrupted())) {
            return new Ending.Aside("returned", Duration.ZERO);
        }
        Duration timeout = kind.timeout();
        boolean timedOut = interrupted == Running.Why.TIMEOUT;
        String code = timedOut ? "timeout" : e.getClass().getSimpleName();
        String error = timedOut && timeout != null ? "it took longer than its timeout of " + timeout : text(e);
        return retry(kind, job, null, code, error, e);
    }

    private static String text(Throwable e) {
        return readable(e instanceof PostriderException ? String.valueOf(e.getMessage()) : e.toString());
    }

    /** The text as one line that PostgreSQL can store. */
    private static String readable(String text) {
        String clean = text.replace('\0', '?').replaceAll("\\p{Cntrl}+", " ");
        return clean.length() <= LONGEST_ERROR ? clean : clean.substring(0, LONGEST_ERROR);
    }

    /** Rolls the transaction back. */
    private static final class RollBackException extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient @Nullable Ending ending;

        RollBackException(@Nullable Ending ending) {
            this.ending = ending;
        }
    }

    /** Carries the handler's exception out of the transaction. */
    private static final class HandlerException extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final Exception thrown;

        HandlerException(Exception thrown) {
            super(thrown);
            this.thrown = thrown;
        }
    }
}

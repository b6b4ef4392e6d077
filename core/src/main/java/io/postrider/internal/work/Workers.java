package io.postrider.internal.work;

import io.postrider.ClaimedJob;
import io.postrider.Job;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.Worker;
import io.postrider.internal.claim.HeldJob;
import io.postrider.internal.claim.OpenClaims;
import io.postrider.internal.claim.WorkerRegistration;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.log.Heads;
import io.postrider.internal.schedule.ScheduleTicks;
import io.postrider.internal.settle.EndedJob;
import io.postrider.internal.settle.ProgressReports;
import io.postrider.internal.settle.Settlements;
import io.postrider.internal.settle.Settler;
import io.postrider.internal.takeover.Takeover;
import io.postrider.internal.takeover.UndoneClaims;
import io.postrider.internal.threads.Deadline;
import io.postrider.internal.threads.HandlerThreads;
import io.postrider.internal.watch.Reports;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The job side of one node: a {@link QueueRun} for each queue it works on, what these share, and the periodic checks that every
 * working node makes for all: takeovers and schedules.
 */
public final class Workers implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Workers.class);
    private static final Sql REGISTER = Sql.file("work/register_queue");
    private static final Sql ANNOUNCE = Sql.file("work/announce");
    private static final Sql LEAVING = Sql.text(
            "work/leaving",
            "update postrider.worker w set leaving = true where w.id = :worker returning w.id as left_over");
    private static final Sql LEAVE = Sql.call("work/leave", "select postrider.leave(:worker) as left_over");

    private static final Duration CHECK_EVERY = Duration.ofMillis(500);

    /** How long running jobs may take to end when the node closes. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    /** And how long after that, once they have been interrupted. */
    private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(5);

    private final Map<String, QueueRun> runs = new ConcurrentHashMap<>();
    private final WorkerRegistration registration;
    private final NodeContext node;
    private final ProgressReports progress;
    private final Settlements settlements;
    private final OutcomeLog outcomes;
    private final CancelRequests cancelRequests;
    private final Takeover takeover;
    private final UndoneClaims undoneClaims;
    private final ScheduleTicks schedules;

    /** One thread: periodic checks, timeouts of jobs, requests to cancel jobs. */
    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "postrider-scheduler");
        thread.setDaemon(true);
        return thread;
    });

    private boolean started;

    public Workers(Database database, Heads heads, Reports reports) {
        this.registration =
                new WorkerRegistration(reports.node(), this::changed, () -> !isIdle(), this::holds, this::announce);
        this.progress = new ProgressReports(database);
        this.settlements = new Settlements(progress);
        Settler settler = new Settler(database, settlements, progress, this::settled);
        NodeContext.Claiming claiming =
                new NodeContext.Claiming(registration, new OpenClaims(), new ExclusiveRun(this::isIdle, this::wakeAll));
        this.node = new NodeContext(database, heads, reports, HandlerThreads.executor(), settler, claiming);
        this.outcomes = new OutcomeLog(reports);
        this.cancelRequests = new CancelRequests(database, runs.values());
        this.takeover = new Takeover(database, this::wakeAll);
        this.undoneClaims = new UndoneClaims(database, this::wakeAll);
        this.schedules = new ScheduleTicks(database);
    }

    /** The node's number as a worker, which needs turns on the node's connection. */
    public WorkerRegistration registration() {
        return registration;
    }

    /** Creates the queue in the database. May be repeated. */
    public void register(Worker worker) {
        if (worker.types().isEmpty()) {
            throw PostriderException.refused("worker on queue " + worker.queue() + " has no handler; call handling()");
        }
        if (runs.containsKey(worker.queue())) {
            throw new PostriderException(
                    Kind.REFUSED, "queue " + worker.queue() + " already has a worker on this node");
        }
        node.database().transaction(session -> session.update(REGISTER, bind -> bind.text("queue", worker.queue())));
    }

    /** Starts to work on a queue that is registered. */
    public void run(Worker worker) {
        node.database().autocommit(session -> {
            Lanes.topicsOf(worker.queue()).forEach(topic -> node.heads().follow(session, topic));
            return true;
        });
        QueueRun run = new QueueRun(worker, new JobRun(node, worker, settlements, scheduler), node);
        runs.put(worker.queue(), run);
        if (!started) {
            started = true;
            registration.want();
            node.settler().start();
            scheduler.scheduleWithFixedDelay(this::check, 0, CHECK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
        }
        node.threads().execute(run);
        long me = registration.number();
        if (me != 0) {
            node.database().autocommit(session -> announce(session, me, worker));
        }
        log.info("worker_started {}", worker);
    }

    private void announce(Session session, long me) {
        runs.values().forEach(run -> announce(session, me, run.worker()));
    }

    private static int announce(Session session, long me, Worker worker) {
        return session.update(
                ANNOUNCE,
                bind -> bind.int8("worker", me)
                        .text("queue", worker.queue())
                        .int4("slots", worker.slots())
                        .texts("types", worker.types()));
    }

    private void check() {
        check(takeover::check);
        check(undoneClaims::check);
        check(schedules::tick);
    }

    private static void check(Runnable one) {
        try {
            one.run();
        } catch (PostriderException e) {
            log.warn("periodic_check_failed error=\"{}\"", e.getMessage());
        } catch (RuntimeException | Error e) {
            log.error("periodic_check_failed", e); // a scheduled task that throws is never run again
        }
    }

    private boolean isIdle() {
        return runs.values().stream().allMatch(QueueRun::isIdle);
    }

    private boolean holds(long number) {
        return runs.values().stream().anyMatch(run -> run.holds(number));
    }

    private void wakeAll() {
        runs.values().forEach(QueueRun::wake);
    }

    /** The node has a worker number again, or an operator has changed something. */
    private void changed() {
        wakeAll();
        try {
            scheduler.execute(cancelRequests::check);
        } catch (RejectedExecutionException e) {
            log.debug("closing", e);
        }
    }

    /** A running job of this node reports its progress. */
    public void report(ClaimedJob job, int percent, @Nullable String note) {
        HeldJob.Place place = new HeldJob.Place(Job.topicOf(job.queue(), job.priority()), job.position());
        QueueRun run = runs.get(job.queue());
        if (run == null || !run.jobRun().running().contains(place)) {
            throw new PostriderException(Kind.CONFLICT, "job " + job.id() + " does not run on this node");
        }
        progress.report(place, percent, note);
    }

    private void settled(List<EndedJob> jobs, Set<EndedJob> lost) {
        outcomes.settled(jobs, lost);
        runs.forEach((queue, run) -> run.settled(jobs.stream()
                .filter(one -> one.heldJob().job().queue().equals(queue))
                .toList()));
    }

    /** Claims nothing more, gives running jobs time to end, then interrupts them. Jobs that are not done are returned. */
    @Override
    public void close() {
        if (!started) {
            node.threads().shutdown();
            scheduler.shutdown();
            return;
        }
        runs.values().forEach(QueueRun::stop);
        if (!awaitOver(GRACE)) {
            runs.values().forEach(run -> run.jobRun().close());
            node.threads().shutdownNow();
            if (!awaitOver(AFTER_INTERRUPT)) {
                log.warn("jobs_stuck a handler does not end; its job will be taken over");
                announceEnd(LEAVING); // so that the job is not suspected of having ended this worker
            }
        }
        node.threads().shutdown();
        scheduler.shutdownNow();
        node.settler().close();
        if (isOver()) {
            announceEnd(LEAVE);
        }
    }

    private boolean isOver() {
        return runs.values().stream().allMatch(QueueRun::isOver);
    }

    private void announceEnd(Sql how) {
        long me = registration.number();
        if (me != 0) {
            try {
                node.database()
                        .transaction(session -> session.query(how, bind -> bind.int8("worker", me), row -> true));
            } catch (PostriderException e) {
                log.debug("leaving failed", e); // then other nodes notice that the session is gone
            }
        }
    }

    private boolean awaitOver(Duration most) {
        Deadline deadline = Deadline.in(most);
        while (!isOver()) {
            if (deadline.isPassed()) {
                return false;
            }
            try {
                Thread.sleep(5);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }
}

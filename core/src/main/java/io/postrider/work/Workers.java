package io.postrider.work;

import io.postrider.ClaimedJob;
import io.postrider.Job;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.Priority;
import io.postrider.Worker;
import io.postrider.db.Database;
import io.postrider.db.Session;
import io.postrider.db.Sql;
import io.postrider.listen.HandlerThreads;
import io.postrider.log.Heads;
import io.postrider.watch.JobEnd;
import io.postrider.watch.Watch;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The work of this node: its queues, what they share, and its part in taking over from others. */
public final class Workers implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Workers.class);
    private static final Sql REGISTER = Sql.file("work/register_queue");
    private static final Sql LEAVING = Sql.text(
            "leaving", "update postrider.worker w set leaving = true where w.id = :worker returning w.id as left_over");
    private static final Sql LEAVE = Sql.call("leave", "select postrider.leave(:worker) as left_over");

    private static final Sql ANNOUNCE = Sql.file("work/announce");
    private static final Sql CANCELLED = Sql.file("work/cancelled");

    private static final String FAILED =
            "job_failed queue={} job_type={} job_id={} attempt={} will_retry={} error=\"{}\"";
    private static final String UNAVAILABLE = FAILED.replace("job_failed", "job_unavailable");

    private static final Duration LOOK_EVERY = Duration.ofMillis(500);
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final Database database;
    private final Heads heads;
    private final Watch watch;
    private final Badge badge;
    private final Settler settler;
    private final ExecutorService threads = HandlerThreads.executor();
    private final ScheduledExecutorService watchman = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "postrider-watchman");
        thread.setDaemon(true);
        return thread;
    });
    private final Map<String, QueueRun> runs = new ConcurrentHashMap<>();
    private final Map<String, JobRun> jobRuns = new ConcurrentHashMap<>();
    private final Map<String, Worker> announced = new ConcurrentHashMap<>();
    private final Takeover takeover;
    private final UndoneClaims undoneClaims;
    private final Schedules schedules;
    private final OpenClaims openClaims = new OpenClaims();
    private final Solitude solitude = new Solitude(this::isIdle, this::wakeAll);
    private boolean started;

    public Workers(Database database, Heads heads, String node, Watch watch) {
        this.watch = watch;
        this.database = database;
        this.heads = heads;
        this.badge = new Badge(node, this::steered, () -> !isIdle(), this::holds, this::announce);
        this.settler = new Settler(database, this::settled);
        this.takeover = new Takeover(database, this::wakeAll);
        this.undoneClaims = new UndoneClaims(database, this::wakeAll);
        this.schedules = new Schedules(database);
    }

    /** What the wire drives. */
    public Badge badge() {
        return badge;
    }

    /** Makes the queue in the database. May be repeated. */
    public void register(Worker worker) {
        if (worker.types().isEmpty()) {
            throw PostriderException.refused("worker on queue " + worker.queue() + " has no handler; say handling()");
        }
        if (runs.containsKey(worker.queue())) {
            throw new PostriderException(
                    Kind.REFUSED, "queue " + worker.queue() + " has a worker on this node already");
        }
        database.transaction(session -> session.update(REGISTER, bind -> bind.text("queue", worker.queue())));
    }

    /** Starts on one that is registered. */
    public void run(Worker worker) {
        List<String> topics = Arrays.stream(Priority.values())
                .map(priority -> Job.topicOf(worker.queue(), priority))
                .toList();
        database.autocommit(session -> {
            topics.forEach(topic -> heads.follow(session, topic));
            return true;
        });
        announced.put(worker.queue(), worker);
        if (!started) {
            started = true;
            badge.want();
            settler.start();
            watchman.scheduleWithFixedDelay(this::look, 0, LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
        }
        JobRun jobRun = new JobRun(database, worker, settler, watchman, watch);
        QueueRun run = new QueueRun(
                worker, topics, database, heads, badge, settler, threads, jobRun, solitude, openClaims, watch);
        jobRuns.put(worker.queue(), jobRun);
        runs.put(worker.queue(), run);
        threads.execute(run);
        long me = badge.number();
        if (me != 0) {
            database.autocommit(session -> announce(session, me, worker));
        }
        log.info("worker_started {}", worker);
    }

    private void announce(Session session, long me) {
        announced.values().forEach(worker -> announce(session, me, worker));
    }

    private static int announce(Session session, long me, Worker worker) {
        return session.update(
                ANNOUNCE,
                bind -> bind.int8("worker", me)
                        .text("queue", worker.queue())
                        .int4("slots", worker.slots())
                        .texts("types", worker.types()));
    }

    private void look() {
        look(takeover::look);
        look(undoneClaims::look);
        look(schedules::tick);
    }

    private static void look(Runnable at) {
        try {
            at.run();
        } catch (PostriderException e) {
            log.warn("looking_failed error=\"{}\"", e.getMessage());
        } catch (RuntimeException | Error e) {
            log.error("looking_failed", e); // a task that throws is never run again
        }
    }

    private boolean isIdle() {
        return runs.values().stream().allMatch(QueueRun::isIdle);
    }

    private boolean holds(long number) {
        return runs.values().stream().anyMatch(run -> run.holds(number));
    }

    private void steered() {
        wakeAll();
        try {
            watchman.execute(this::lookForCancelled);
        } catch (RejectedExecutionException e) {
            log.debug("closing", e);
        }
    }

    private void lookForCancelled() {
        Map<Holding.Place, JobRun> places = new HashMap<>();
        jobRuns.forEach((queue, run) -> {
            run.running().forEach(place -> places.put(place, run));
            Optional.ofNullable(runs.get(queue))
                    .ifPresent(claimed -> claimed.waiting().forEach(holding -> places.put(holding.place(), run)));
        });
        if (places.isEmpty()) {
            return;
        }
        List<Holding.Place> asked = List.copyOf(places.keySet());
        try {
            record Cancelled(Holding.Place place, String reason) {}
            database.autocommit(session -> session.query(
                            CANCELLED,
                            bind -> bind.texts(
                                            "topics",
                                            asked.stream()
                                                    .map(Holding.Place::topic)
                                                    .toList())
                                    .int8s(
                                            "positions",
                                            asked.stream()
                                                    .map(Holding.Place::position)
                                                    .toList()),
                            row -> new Cancelled(
                                    new Holding.Place(row.text("topic"), row.int8("position")), row.text("reason"))))
                    .forEach(one -> Optional.ofNullable(places.get(one.place()))
                            .ifPresent(run -> run.cancel(one.place(), one.reason())));
        } catch (PostriderException e) {
            log.warn("cancelling_failed error=\"{}\"", e.getMessage());
        }
    }

    private void wakeAll() {
        runs.values().forEach(QueueRun::wake);
    }

    /** A job of this node says how far it is. */
    public void report(ClaimedJob job, int percent, @Nullable String note) {
        Holding.Place place = new Holding.Place(Job.topicOf(job.queue(), job.priority()), job.position());
        JobRun run = jobRuns.get(job.queue());
        if (run == null || !run.running().contains(place)) {
            throw new PostriderException(Kind.CONFLICT, "job " + job.id() + " does not run on this node");
        }
        settler.report(place, percent, note);
    }

    private void settled(List<Settler.Ended> ended, Set<Settler.Ended> lost) {
        for (Settler.Ended one : lost) {
            log.warn(
                    "job_lost queue={} job_id={} it was settled before: by who took it over, or by a commit we did not hear of",
                    one.holding().job().queue(),
                    one.holding().job().id());
        }
        for (Settler.Ended one : ended) {
            if (one.isBegun()) {
                ended(one, lost.contains(one) ? JobEnd.LOST : one.ending().watched());
            }
        }
        runs.forEach((queue, run) -> run.settled(ended.stream()
                .filter(one -> one.holding().job().queue().equals(queue))
                .toList()));
    }

    private void ended(Settler.Ended one, JobEnd end) {
        ClaimedJob job = one.holding().job();
        watch.jobEnded(job, end, Duration.ofNanos(one.nanos()));
        String error = one.ending().error();
        if (error != null && end != JobEnd.LOST) {
            failed(job, end, error, one.ending().cause());
        } else if (log.isDebugEnabled() && end == JobEnd.DONE) {
            log.debug(
                    "job_completed queue={} job_type={} job_id={} attempt={} took_ms={}",
                    job.queue(),
                    job.type(),
                    job.id(),
                    job.attempt(),
                    one.nanos() / 1_000_000);
        }
    }

    /** Logs the first and the last failure with the stack trace, and the attempts between them in one line each. */
    private static void failed(ClaimedJob job, JobEnd end, String error, @Nullable Throwable cause) {
        boolean dead = end == JobEnd.DEAD;
        @Nullable
        Object[] values = {
            job.queue(), job.type(), job.id(), job.attempt(), !dead, error, dead || job.attempt() == 1 ? cause : null
        };
        if (dead) {
            log.error(FAILED, values);
        } else {
            log.warn(end == JobEnd.UNAVAILABLE ? UNAVAILABLE : FAILED, values);
        }
    }

    /** Claims nothing more, lets jobs finish up to a time, interrupts the others; what is not done is handed back. */
    @Override
    public void close() {
        if (!started) {
            threads.shutdown();
            watchman.shutdown();
            return;
        }
        runs.values().forEach(QueueRun::stop);
        if (!awaitOver(GRACE)) {
            jobRuns.values().forEach(JobRun::close);
            threads.shutdownNow();
            if (!awaitOver(Duration.ofSeconds(5))) {
                log.warn("jobs_stuck a handler does not end; its job will be taken over");
                tell(LEAVING); // so that it is not suspected of having ended us
            }
        }
        threads.shutdown();
        watchman.shutdownNow();
        settler.close();
        if (isOver()) {
            tell(LEAVE);
        }
    }

    private boolean isOver() {
        return runs.values().stream().allMatch(QueueRun::isOver);
    }

    /** What others should know of our end: in order, nothing runs; or a job does not heed it. */
    private void tell(Sql what) {
        long me = badge.number();
        if (me != 0) {
            try {
                database.transaction(session -> session.query(what, bind -> bind.int8("worker", me), row -> true));
            } catch (PostriderException e) {
                log.debug("leaving failed", e); // then others find out by themselves
            }
        }
    }

    private boolean awaitOver(Duration most) {
        long until = System.nanoTime() + most.toNanos();
        while (!isOver()) {
            if (System.nanoTime() > until) {
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

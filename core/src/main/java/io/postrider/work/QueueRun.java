package io.postrider.work;

import io.postrider.ClaimedJob;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.Worker;
import io.postrider.db.Database;
import io.postrider.db.SqlState;
import io.postrider.log.Heads;
import io.postrider.watch.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The work of this node on one queue: claim, hand out to the slots, see it settled, claim again.
 *
 * <pre>
 * WAITING   no badge, the queue is paused, or nothing to claim. Nothing is held. Leaves by the bell: a head has moved, the
 *           wire is up, somebody has steered, a job that goes by itself is due; and once a second whatever happens.
 * CLAIMING  while there is room: the next lane that has work (of every eight claims five high, two normal, one low), and what
 *           is due of the jobs that go by themselves. Room is what the slots can do in {@link #AHEAD}: a crash repeats
 *           little, and no job waits long in this node's memory while others are free. The first jobs come with the claim;
 *           of a large one the others are read in slices, two at a time, while the next claim is made.
 * FULL      no room. Leaves when a job ends.
 * STOPPING  nothing is claimed; what has not begun is put aside without counting an attempt; what runs, runs on.
 * </pre>
 *
 * A crash at any point leaves claims without settlements, which others take over (take_over.sql).
 */
final class QueueRun implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(QueueRun.class);

    /** So much work is claimed ahead. */
    private static final Duration AHEAD = Duration.ofMillis(50);

    private static final int LARGEST_CLAIM = 2_000;

    /** Jobs that are read at once. */
    private static final int SLICE = 500;

    private static final int READERS = 2;
    private static final int MOST_PER_SLOT = 64;
    private static final int ALONE = 2;
    private static final int WAIT_FOR_KEY = -1;
    private static final int RATED = -2;
    private static final String TAKEN_OVER = "PR006";
    private static final long LIMITED = Duration.ofMillis(20).toNanos();
    private static final long SHORT_WHILE = Duration.ofMillis(5).toNanos();
    private static final long A_WHILE = Duration.ofSeconds(1).toNanos();
    private static final Duration FAR = Duration.ofDays(1);
    private static final long A_MINUTE = Duration.ofMinutes(1).toNanos();

    /** Which lane may claim next: see {@link io.postrider.Priority}. */
    private static final int[] TURNS = {0, 1, 0, 2, 0, 1, 0, 0};

    private final Worker worker;
    private final Heads heads;
    private final Badge badge;
    private final Settler settler;
    private final JobRun jobRun;
    private final Solitude solitude;
    private final Watch watch;
    private final ExecutorService threads;
    private final Claims claims;
    private final Lane[] lanes;
    private final Bell bell = new Bell();
    private final ConcurrentLinkedQueue<Holding> waiting = new ConcurrentLinkedQueue<>();

    /** Claimed and not settled. */
    private final Held held = new Held();

    private final AtomicInteger runners = new AtomicInteger();

    /** Those of the other queues of this node, too. */
    private final OpenClaims open;

    /** Those held that go by themselves. */
    private final Set<Alone> alone = ConcurrentHashMap.newKeySet();

    private final Pace pace = new Pace();
    private volatile boolean running = true;
    private volatile boolean ended;
    private volatile long dueAt = System.nanoTime();

    /** Not before this time is a lane asked that had nothing for us although its head says so: paused, limited, others'. */
    private volatile long lookAgainAt = System.nanoTime();

    /** Jobs here that are suspected of one crash. */
    private final AtomicInteger suspects = new AtomicInteger();

    /** Whether jobs wait for others of their key. */
    private volatile boolean keyed;

    /** Whether the queue limits how many jobs are begun in a time: then none is claimed before a slot is free for it. */
    private volatile boolean rated;

    /** Not before this time does this node want to be alone again, after it was for nothing. */
    private volatile long aloneAt = System.nanoTime();

    /** Characters of the payloads that wait for a slot. */
    private final AtomicLong waitingLength = new AtomicLong();

    private int turn;
    private int dueTurn;

    /** The worker number at the last check. */
    private long number;

    /** Until then a claim of ours may turn up that we know nothing of: the answer to it was lost. */
    private long doubtUntil = System.nanoTime();

    private long compareAt = System.nanoTime();

    /** Positions of claims that are not read yet, and how many read them. */
    private final ConcurrentLinkedQueue<Slice> slices = new ConcurrentLinkedQueue<>();

    private final AtomicInteger readers = new AtomicInteger();

    /** What is left of slices whose payloads were too long to be read at once: read when nothing waits here any more. */
    private final ConcurrentLinkedQueue<Slice> heavy = new ConcurrentLinkedQueue<>();

    /** Whether the last claim failed because of a row: then the next one claims without reading. */
    private boolean blind;

    /** @param blind whether the claim was made without reading, so that the jobs of each key have not been counted */
    private record Slice(Claim claim, long worker, long after, long upto, boolean blind) {
        int size() {
            return (int) (upto - after);
        }

        /** The same positions in two halves. */
        List<Slice> halves() {
            long middle = after + (upto - after) / 2;
            return List.of(
                    new Slice(claim, worker, after, middle, blind), new Slice(claim, worker, middle, upto, blind));
        }
    }

    /** A job that is scheduled individually: it may be claimed again under another number while it still runs under ours. */
    private record Alone(long worker, Holding.Place place) {
        static Alone of(Holding holding) {
            return new Alone(holding.worker(), holding.place());
        }
    }

    private static final class Lane {
        final String topic;
        long claimedUpto;

        Lane(String topic) {
            this.topic = topic;
        }
    }

    QueueRun(
            Worker worker,
            List<String> topics,
            Database database,
            Heads heads,
            Badge badge,
            Settler settler,
            ExecutorService threads,
            JobRun jobRun,
            Solitude solitude,
            OpenClaims open,
            Watch watch) {
        this.watch = watch;
        this.open = open;
        this.solitude = solitude;
        this.worker = worker;
        this.heads = heads;
        this.badge = badge;
        this.settler = settler;
        this.threads = threads;
        this.jobRun = jobRun;
        this.claims = new Claims(database, worker.queue());
        this.lanes = topics.stream().map(Lane::new).toArray(Lane[]::new);
        topics.forEach(topic -> heads.whenMoved(topic, bell::ring));
    }

    /** Something has changed: look. */
    void wake() {
        dueAt = System.nanoTime();
        lookAgainAt = dueAt;
        bell.ring();
    }

    /** Claims nothing more, and hands back what has not begun. */
    void stop() {
        running = false;
        bell.ring();
    }

    /** The jobs that wait for a slot. */
    Collection<Holding> waiting() {
        return List.copyOf(waiting);
    }

    /** Whether nothing is claimed that is not settled. */
    boolean isIdle() {
        return held.count() == 0;
    }

    /** Whether jobs are held that were claimed under this number. */
    boolean holds(long number) {
        return held.isAny(number);
    }

    /** The same after {@link #stop}, when nothing more is claimed. */
    boolean isOver() {
        return ended && isIdle();
    }

    @Override
    public void run() {
        try {
            work();
            handBack();
        } catch (InterruptedException e) {
            handBack();
        } finally {
            ended = true;
        }
    }

    private void work() throws InterruptedException {
        int failures = 0;
        while (running) {
            long me = badge.number();
            try {
                long patience = claimSome(me);
                if (patience > 0) {
                    bell.await(waiting.isEmpty() ? patience : Math.min(patience, SHORT_WHILE));
                    if (!waiting.isEmpty()) {
                        startRunners(Integer.MAX_VALUE); // slower than it looked: then all hands
                    }
                }
                failures = 0;
            } catch (RuntimeException | Error e) { // out of memory, too: the badge is worn, so nobody else would do it
                failed(me, ++failures, e);
                bell.await(Math.min(5_000, 50L << Math.min(failures, 7)) * 1_000_000);
            }
        }
    }

    /** What was about to be claimed may be ours, or not: see {@link #compare}. */
    private void failed(long me, int failures, Throwable e) {
        if (SqlState.of(e).equals(TAKEN_OVER)) {
            badge.isOver(me);
        }
        blind = SqlState.isOfTheData(SqlState.of(e));
        open.doubt(this);
        compareAt = System.nanoTime();
        doubtUntil = compareAt + A_MINUTE;
        if (e instanceof PostriderException) {
            log.warn("claiming_failed queue={} failures={} error=\"{}\"", worker.queue(), failures, e.getMessage());
        } else {
            log.error("claiming_failed queue={} failures={}", worker.queue(), failures, e);
        }
    }

    /** Gives how long to wait for the bell: 0 if there may be more at once. */
    private long claimSome(long me) {
        beginAs(me);
        int room = me == 0 ? 0 : room();
        readHeavy();
        startReaders();
        if (room <= 0) {
            return A_WHILE;
        }
        compare(me);
        if (solitude.isWanted()) {
            return solitude.isOf(this) ? beAlone(me) : A_WHILE;
        }
        if (claimDelayed(me, room) | claimNext(me, room)) {
            return 0;
        }
        long now = System.nanoTime();
        long next = lookAgainAt > now ? Math.min(dueAt, lookAgainAt) : dueAt;
        return Math.max(1, Math.min(A_WHILE, next - now));
    }

    /**
     * After a change of the worker number, drops claimed jobs that have not started, and how far lanes are claimed: the server
     * may have lost these claims and given their positions to other jobs. Claims that it still has are handed over with the
     * number.
     */
    private void beginAs(long me) {
        if (me == 0 || me == number) {
            return;
        }
        int dropped = 0;
        for (Holding one = waiting.poll(); one != null; one = waiting.poll()) {
            waitingLength.addAndGet(-one.job().payload().length());
            alone.remove(Alone.of(one));
            if (one.crashes() == 1) {
                suspects.decrementAndGet();
            }
            held.add(one.worker(), -1);
            dropped++;
        }
        heavy.addAll(slices);
        slices.clear();
        for (Slice slice = heavy.poll(); slice != null; slice = heavy.poll()) {
            held.add(slice.worker(), -slice.size());
            dropped += slice.size();
        }
        held.tidy(me);
        jobRun.forgetCancelled();
        for (Lane lane : lanes) {
            lane.claimedUpto = 0;
        }
        number = me;
        dueAt = System.nanoTime();
        lookAgainAt = dueAt;
        if (dropped > 0) {
            log.info("jobs_dropped queue={} jobs={} claimed under an earlier number", worker.queue(), dropped);
        }
        if (isIdle()) {
            solitude.end(this);
        }
    }

    /**
     * Gives back what the server says we have claimed and we do not know: for a minute after a failure again and again, because
     * the server may still be at it; else now and then, which costs nothing.
     */
    private void compare(long me) {
        long now = System.nanoTime();
        if (now < compareAt) {
            return;
        }
        compareAt = now + (now < doubtUntil ? A_WHILE : A_MINUTE);
        long given = open.numbers(me)
                .map(known -> claims.giveBack(
                        me,
                        known,
                        alone.stream()
                                .filter(one -> one.worker() == me)
                                .map(Alone::place)
                                .toList()))
                .orElse(0L);
        if (now >= doubtUntil) {
            open.believe(this);
        }
        if (given > 0) {
            log.warn("claims_given_back queue={} jobs={} the answer to a claim was lost", worker.queue(), given);
            dueAt = now;
        }
    }

    /** Waits until nothing else runs here, then does the one job. */
    private long beAlone(long me) {
        if (!solitude.isQuiet()) {
            return SHORT_WHILE;
        }
        List<Holding> suspect = claims.claimDelayed(topics(), me, 1, worker.types(), ALONE);
        if (suspect.isEmpty()) {
            aloneAt = System.nanoTime() + A_WHILE;
            solitude.end(this);
            return 0;
        }
        log.warn(
                "job_alone queue={} job_id={}",
                worker.queue(),
                suspect.get(0).job().id());
        take(suspect);
        return A_WHILE;
    }

    /** Not for one job at a time, unless a slot is free: a claim costs as much for one as for many. */
    private int room() {
        int capacity = pace.capacity(worker.slots());
        int now = held.count();
        if (isLoaded()) {
            return 0;
        }
        if (rated) {
            return worker.slots() - now;
        }
        boolean slotFree = runners.get() < worker.slots() && waiting.isEmpty();
        return slotFree || now <= capacity / 2 ? Math.min(capacity - now, LARGEST_CLAIM) : 0;
    }

    /** Whether the payloads that wait here are as much as a small heap can hold. */
    private boolean isLoaded() {
        return waitingLength.get() > Claims.BYTES;
    }

    private boolean claimNext(long me, int room) {
        Lane lane = System.nanoTime() < lookAgainAt ? null : nextLane();
        if (lane == null) {
            return false;
        }
        boolean reads = !blind;
        Claims.Got got = claims.claim(lane.topic, me, room, reads ? SLICE : 0, open.ask(this, me));
        blind = false;
        lane.claimedUpto = got.claimedUpto();
        Claim claim = got.claim();
        open.answer(this, me, claim);
        if (claim == null) {
            lookAgainAt = System.nanoTime() + ("limited".equals(got.why()) ? LIMITED : A_WHILE);
            return false;
        }
        lookAgainAt = System.nanoTime();
        held.add(me, (int) claim.size());
        long first = reads ? Math.min(claim.to(), claim.from() + SLICE - 1) : claim.from() - 1;
        for (long after = first; after < claim.to(); after += SLICE) {
            slices.add(new Slice(claim, me, after, Math.min(claim.to(), after + SLICE), !reads));
        }
        startReaders();
        handOut(got.found());
        restOf(new Slice(claim, me, claim.from() - 1, first, !reads), got.found());
        return true;
    }

    /** What was too long to come with the rest of a slice. */
    private void restOf(Slice slice, List<Claims.Found> found) {
        long last = found.isEmpty()
                ? slice.after()
                : found.get(found.size() - 1).holding().job().position();
        if (last < slice.upto()) {
            heavy.add(new Slice(slice.claim(), slice.worker(), last, slice.upto(), slice.blind()));
        }
    }

    private void startReaders() {
        for (int now = readers.get(); !slices.isEmpty() && !isLoaded() && now < READERS; now = readers.get()) {
            if (readers.compareAndSet(now, now + 1)) {
                try {
                    threads.execute(this::readSlices);
                } catch (RejectedExecutionException e) {
                    readers.decrementAndGet();
                    return;
                }
            }
        }
    }

    private void readSlices() {
        @Nullable Slice slice = null;
        try {
            while (running && !isLoaded() && (slice = slices.poll()) != null) {
                read(slice);
            }
        } catch (RuntimeException | Error e) {
            log.warn("reading_failed queue={} error=\"{}\"", worker.queue(), e.getMessage());
            if (slice != null) {
                heavy.add(slice); // the one who claims reads it, and waits in between if it fails again
            }
        } finally {
            readers.decrementAndGet();
        }
        bell.ring();
    }

    private void readHeavy() {
        if (waiting.isEmpty()) {
            Slice slice = heavy.peek();
            if (slice != null && slice.worker() != number) {
                heavy.remove(slice); // its positions may be gone, and reading them would fail forever
                held.add(slice.worker(), -slice.size());
            } else if (slice != null) {
                read(slice);
                heavy.remove(slice);
            }
        }
    }

    private void read(Slice slice) {
        List<Claims.Found> found;
        try {
            found = claims.read(slice.claim(), slice.worker(), slice.after(), slice.upto());
        } catch (PostriderException e) {
            if (!SqlState.isOfTheData(SqlState.of(e))) {
                throw e;
            }
            isolate(slice, e);
            return;
        }
        if (found.isEmpty()) {
            throw new PostriderException(
                    Kind.FAILED,
                    "no jobs at positions " + (slice.after() + 1) + ".." + slice.upto() + " of "
                            + slice.claim().topic());
        }
        handOut(slice.blind() ? found.stream().map(Claims.Found::heldByKey).toList() : found);
        restOf(slice, found);
    }

    /** Finds the unreadable row of a slice by halving, so that it affects one job and not the queue. */
    private void isolate(Slice slice, PostriderException e) {
        if (slice.upto() - slice.after() > 1) {
            slices.addAll(slice.halves());
            return;
        }
        bury(
                claims.unreadable(slice.claim(), slice.worker(), slice.upto()).holding(),
                "unreadable",
                "the row cannot be read: " + e.getMessage());
    }

    private void bury(Holding holding, String code, String error) {
        log.error(
                "job_unreadable queue={} job_id={} topic={} position={} error=\"{}\"",
                worker.queue(),
                holding.job().id(),
                holding.topic(),
                holding.job().position(),
                error);
        settler.add(new Settler.Ended(holding, new Ending.Dead(code, error)));
    }

    private @Nullable Lane nextLane() {
        for (int i = 0; i < TURNS.length; i++) {
            Lane lane = lanes[TURNS[turn++ % TURNS.length]];
            if (heads.head(lane.topic) > lane.claimedUpto) {
                return lane;
            }
        }
        return null;
    }

    /** Jobs that go by themselves: the unsuspected, a few of those with one crash, or, alone, one with more. */
    private boolean claimDelayed(long me, int room) {
        if (System.nanoTime() < dueAt) {
            return false;
        }
        dueAt = System.nanoTime() + A_WHILE;
        Map<Integer, Long> next = claims.nextDue(worker.types());
        keyed = next.remove(WAIT_FOR_KEY) != null;
        rated = next.remove(RATED) != null;
        next.values().forEach(wait -> dueIn(Math.max(wait, LIMITED)));
        int claimed = 0;
        if (keyed || isDue(next, 0)) {
            claimed = take(claims.claimDelayed(lanesInTurn(), me, room, worker.types(), 0));
        }
        int few = Math.min(room, Math.max(1, worker.slots() / 4) - suspects.get());
        if (isDue(next, 1) && few > 0) {
            List<Holding> found = claims.claimDelayed(lanesInTurn(), me, few, worker.types(), 1);
            suspects.addAndGet(found.size());
            claimed += take(found);
        }
        watch.jobsLookedFor(worker.queue(), claimed);
        boolean got = claimed > 0;
        if (isDue(next, ALONE) && System.nanoTime() >= aloneAt) {
            solitude.want(this);
            got = true;
        }
        if (got) {
            dueAt = System.nanoTime();
        }
        return got;
    }

    /** The lanes, the one whose turn it is first. */
    private List<String> lanesInTurn() {
        List<String> order = new ArrayList<>(topics());
        String first = lanes[TURNS[dueTurn++ % TURNS.length]].topic;
        order.remove(first);
        order.add(0, first);
        return order;
    }

    private List<String> topics() {
        return Arrays.stream(lanes).map(lane -> lane.topic).toList();
    }

    private static boolean isDue(Map<Integer, Long> next, int tier) {
        return next.getOrDefault(tier, Long.MAX_VALUE) == 0;
    }

    private int take(List<Holding> due) {
        due.forEach(one -> held.add(one.worker(), 1));
        due.forEach(one -> alone.add(Alone.of(one)));
        due.forEach(this::waits);
        startRunners(due.size());
        return due.size();
    }

    private void dueIn(long nanos) {
        long at = System.nanoTime() + nanos;
        if (at < dueAt) {
            dueAt = at;
        }
    }

    /** What can be begun goes to the slots, the rest is put aside. */
    private void handOut(List<Claims.Found> found) {
        int ready = 0;
        for (Claims.Found one : found) {
            ClaimedJob job = one.holding().job();
            String hold = one.hold();
            if ("bad".equals(hold)) {
                bury(one.holding(), "bad_row", "due_at is out of range; it must be before the year 10000");
            } else if ("unreadable".equals(hold)) {
                bury(one.holding(), "unreadable", "the event was deleted");
            } else if (!running) {
                aside(one.holding(), "returned", one.delay() == null ? Duration.ZERO : one.delay());
            } else if ("cancelled".equals(hold)) {
                settler.add(new Settler.Ended(one.holding(), new Ending.Cancelled("cancelled")));
            } else if ("key".equals(hold)) {
                keyed = true;
                aside(one.holding(), "key", Duration.ZERO);
            } else if (one.delay() != null) {
                aside(one.holding(), "due", one.delay());
            } else if (worker.kind(job.type()) == null) {
                aside(one.holding(), "unknown", Duration.ZERO);
            } else {
                waits(one.holding());
                ready++;
            }
        }
        startRunners(ready);
    }

    private void waits(Holding holding) {
        waitingLength.addAndGet(holding.job().payload().length());
        waiting.add(holding);
    }

    private void aside(Holding holding, String why, Duration wait) {
        settler.add(new Settler.Ended(holding, new Ending.Aside(why, wait)));
    }

    /** As many as have something to do: jobs that take microseconds are not worth a thread each. */
    private void startRunners(int jobs) {
        int wanted = Math.min(worker.slots(), jobs == Integer.MAX_VALUE ? worker.slots() : pace.runners(jobs));
        for (int missing = wanted - runners.get(); missing > 0 && !waiting.isEmpty(); missing--) {
            int now = runners.get();
            if (now < wanted && runners.compareAndSet(now, now + 1)) {
                try {
                    threads.execute(this::runJobs);
                } catch (RejectedExecutionException e) {
                    runners.decrementAndGet();
                    return;
                }
            }
        }
    }

    /** One slot: takes jobs until there are none. */
    private void runJobs() {
        do {
            try {
                Holding next;
                while ((next = waiting.poll()) != null) {
                    waitingLength.addAndGet(-next.job().payload().length());
                    pace.took(jobRun.run(next));
                }
            } finally {
                runners.decrementAndGet();
            }
        } while (!waiting.isEmpty() && again()); // one may have come between the last look and the decrement
        bell.ring();
    }

    private boolean again() {
        int now = runners.get();
        return now < worker.slots() && runners.compareAndSet(now, now + 1);
    }

    /** Jobs of this queue are written down. */
    void settled(List<Settler.Ended> ended) {
        if (ended.isEmpty()) {
            return;
        }
        for (Settler.Ended one : ended) {
            Claim claim = one.holding().claim();
            if (claim == null) {
                alone.remove(Alone.of(one.holding()));
            } else {
                open.settled(one.holding().worker(), claim);
            }
        }
        for (Settler.Ended one : ended) {
            if (one.ending() instanceof Ending.Aside aside && !aside.why().equals("key")) {
                dueIn(
                        aside.delay().compareTo(FAR) > 0
                                ? FAR.toNanos()
                                : aside.delay().toNanos());
            } else if (keyed) {
                dueIn(0);
            }
            if (one.holding().crashes() == 1) {
                suspects.decrementAndGet();
            }
        }
        lookAgainAt = System.nanoTime();
        ended.forEach(one -> held.add(one.holding().worker(), -1));
        if (isIdle()) {
            solitude.end(this);
        }
        bell.ring();
    }

    private void handBack() {
        List<Holding> back = new ArrayList<>();
        Holding next;
        while ((next = waiting.poll()) != null) {
            back.add(next);
        }
        back.forEach(holding -> aside(holding, "returned", Duration.ZERO));
        heavy.addAll(slices);
        slices.clear();
        for (Slice slice = heavy.poll(); slice != null; slice = heavy.poll()) {
            try {
                read(slice);
                heavy.addAll(slices); // the halves of a slice with a bad row
                slices.clear();
            } catch (PostriderException e) {
                log.warn("handing_back_failed queue={} error=\"{}\"", worker.queue(), e.getMessage());
                return; // who takes over finds them
            }
        }
    }

    /** How long jobs take here, and so how many may be claimed ahead. */
    private static final class Pace {
        private volatile double nanos = AHEAD.toNanos();

        /** Lost updates do no harm: it is an average. */
        void took(long one) {
            nanos += (one - nanos) / 32;
        }

        /** Half a millisecond of work for each. */
        int runners(int jobs) {
            return (int) Math.min(jobs, 1 + jobs * nanos / 500_000);
        }

        int capacity(int slots) {
            double each = AHEAD.toNanos() / Math.max(nanos, 1_000);
            return (int) (slots * Math.max(1, Math.min(MOST_PER_SLOT, each)));
        }
    }
}

package io.postrider.work;

import io.postrider.ClaimedJob;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.db.Bind;
import io.postrider.db.Database;
import io.postrider.db.JsonText;
import io.postrider.db.Session;
import io.postrider.db.Sql;
import io.postrider.db.SqlState;
import io.postrider.db.StackText;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what became of jobs, for all queues of the node: whatever has ended since the last time, in one transaction. One
 * thread; while it waits for a commit, the next ones gather.
 *
 * <p>A transaction whose commit is not known to have happened is tried again with the same content: its rows are either all
 * there or none.
 */
final class Settler implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Settler.class);
    private static final Sql SETTLE = Sql.file("work/settle");
    private static final Sql PUT_ASIDE = Sql.file("work/put_aside");
    private static final Sql BURY = Sql.file("work/bury");
    private static final Sql BURY_BARE = Sql.file("work/bury_bare");

    /** The code of a dead job whose row cannot be copied. */
    private static final String UNREADABLE = "unreadable";

    private static final String UNWRITABLE = "unwritable";
    private static final Sql FINISH_DELAYED = Sql.file("work/finish_delayed");
    private static final Sql DELAY_AGAIN = Sql.file("work/delay_again");
    private static final Sql BURY_DELAYED = Sql.file("work/bury_delayed");
    private static final Sql MAY_SETTLE = Sql.file("work/may_settle");
    private static final Sql FORGET_CANCELLED = Sql.file("work/forget_cancelled");
    private static final Sql MARK = Sql.call("mark", "select pg_catalog.current_setting('postrider.job', true) as job");
    private static final Sql FORGET_PROGRESS = Sql.file("work/forget_progress");
    private static final Sql REPORT = Sql.file("work/report");
    private static final Sql RELEASE_UNIQUE = Sql.file("work/release_unique");

    /** In one transaction, at most. */
    private static final int MOST = 5_000;

    private final Database database;
    private final BiConsumer<List<Ended>, Set<Ended>> settled;
    private final ConcurrentLinkedQueue<Ended> ended = new ConcurrentLinkedQueue<>();

    /** Jobs that have said how far they are. */
    private final Set<Holding.Place> reported = ConcurrentHashMap.newKeySet();

    private final Bell bell = new Bell();
    private final Thread thread;
    private volatile boolean running = true;
    private volatile boolean resting;

    /**
     * A job that has ended.
     *
     * @param asked whether somebody has asked that it be cancelled
     * @param single whether it is written in a row of its own: its handler's transaction may have written that row already,
     *     and we not have heard of its commit. Then the primary key says so
     * @param nanos how long it ran; {@link #NOT_BEGUN}: it did not
     */
    record Ended(Holding holding, Ending ending, boolean asked, boolean single, long nanos) {
        private static final long NOT_BEGUN = -1;

        /** One that was not begun here. */
        Ended(Holding holding, Ending ending) {
            this(holding, ending, ending instanceof Ending.Cancelled, false, NOT_BEGUN);
        }

        boolean isBegun() {
            return nanos != NOT_BEGUN;
        }
    }

    /** What became of an attempt to write a job down in its handler's transaction. */
    enum Verdict {
        WRITTEN,
        LOST,
        CANCELLED
    }

    /** @param settled told of jobs that are written down, and which of them were somebody else's already */
    Settler(Database database, BiConsumer<List<Ended>, Set<Ended>> settled) {
        this.database = database;
        this.settled = settled;
        this.thread = new Thread(this::run, "postrider-settler");
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** To be written down soon. */
    void add(Ended one) {
        ended.add(one);
        if (resting) {
            bell.ring(); // not for each of thousands in a second: the lock of the bell would be what they wait for
        }
    }

    /** A job says how far it is. Gone when it has ended. */
    void report(Holding.Place place, int percent, @Nullable String note) {
        reported.add(place);
        database.autocommit(session -> session.update(
                REPORT,
                bind -> bind.text("topic", place.topic())
                        .int8("position", place.position())
                        .int4("percent", percent)
                        .text("note", note)));
    }

    /** Written down now, in the transaction of a handler: unless it is not ours any more, or has been cancelled. */
    Verdict settleIn(Session session, Ended one) {
        boolean alone = one.holding().claim() == null;
        String settled = alone
                ? maySettle(session, one.holding())
                : settle(
                        session,
                        one.holding().worker(),
                        List.of(one),
                        one.holding().job().id());
        switch (settled) {
            case "cancelled":
                return Verdict.CANCELLED;
            case "lost":
                return Verdict.LOST;
            case "elsewhere":
                throw elsewhere();
            default:
        }
        if (alone) {
            return write(session, List.of(one)).isEmpty() ? Verdict.WRITTEN : Verdict.LOST;
        }
        tidyUp(session, List.of(one), Set.of());
        return Verdict.WRITTEN;
    }

    /** Refuses a transaction that is not the one in which the handler was called. */
    static void requireMarked(Session session, ClaimedJob job) {
        boolean marked = session.one(
                        MARK, Bind::nothing, row -> job.id().toString().equals(row.textOrNull("job")))
                .orElse(false);
        if (!marked) {
            throw elsewhere();
        }
    }

    /** What the handler did in it is not bound to the job. */
    static PostriderException elsewhere() {
        return new PostriderException(
                Kind.FAILED,
                "the handler has ended the transaction by a statement of its own: what it did is not bound to the job any"
                        + " more. Leave commit and rollback to Postrider");
    }

    /** Its row is locked first: who cancels it waits for us, or we for him. */
    private static String maySettle(Session session, Holding holding) {
        return session.one(
                        MAY_SETTLE,
                        bind -> bind.text("topic", holding.topic())
                                .int8("position", holding.job().position())
                                .text("job", holding.job().id().toString()),
                        row -> row.text("settled"))
                .orElseThrow();
    }

    /** It has been written down in its handler's transaction; or was not ours any more. */
    void isSettled(Ended one, boolean ours) {
        tell(List.of(one), ours ? Set.of() : Set.of(one));
    }

    private void tell(List<Ended> ones, Set<Ended> lost) {
        if (!reported.isEmpty()) {
            ones.forEach(one -> reported.remove(one.holding().place()));
        }
        settled.accept(ones, lost);
    }

    private void run() {
        List<Ended> batch = new ArrayList<>();
        Deque<Ended> singly = new ArrayDeque<>();
        int failures = 0;
        while (running || !ended.isEmpty() || !batch.isEmpty() || !singly.isEmpty()) {
            try {
                if (batch.isEmpty() && !singly.isEmpty()) {
                    batch.add(singly.remove());
                }
                if (batch.isEmpty() && !gather(batch)) {
                    rest();
                    continue;
                }
                Set<Ended> lost = database.transaction(session -> write(session, batch));
                tell(batch, lost);
                batch.clear();
                failures = 0;
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException
                    | Error e) { // whatever it is: without this thread nothing is settled here any more
                failures++;
                if (isRefused(e) && batch.size() > 1) {
                    singly.addAll(batch); // one of them is at fault: the others are written, that one is dead
                    batch.clear();
                    continue;
                }
                if (isRefused(e) && batch.size() == 1) {
                    batch.set(0, unwritable(batch.get(0), e));
                }
                log.warn("settling_failed failures={} jobs={} error=\"{}\"", failures, batch.size(), e.getMessage());
                if (!running && failures > 3) {
                    return; // others take them over
                }
                pause(failures);
            }
        }
    }

    /** The content is at fault, not the moment: such as a number that jsonb cannot hold. */
    private static boolean isRefused(Throwable e) {
        String state = SqlState.of(e);
        return state.startsWith("22") || state.startsWith("23") || state.startsWith("54");
    }

    /** A dead letter; if that is refused as well, one without the job's content, which must then be the cause. */
    private static Ended unwritable(Ended one, Throwable e) {
        boolean again = one.ending() instanceof Ending.Dead dead && dead.code().equals(UNWRITABLE);
        return new Ended(
                one.holding(),
                new Ending.Dead(
                        again ? UNREADABLE : UNWRITABLE, "what became of it cannot be written: " + e.getMessage()),
                one.asked(),
                one.single(),
                one.nanos());
    }

    private void rest() throws InterruptedException {
        resting = true;
        if (ended.isEmpty()) {
            bell.await(100, TimeUnit.MILLISECONDS);
        }
        resting = false;
    }

    private boolean gather(List<Ended> batch) {
        Ended one;
        while (batch.size() < MOST && (one = ended.poll()) != null) {
            batch.add(one);
        }
        return !batch.isEmpty();
    }

    private static void pause(int failures) {
        try {
            Thread.sleep(Math.min(5_000, 50L << Math.min(failures, 7)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Gives those that were not ours any more. */
    private Set<Ended> write(Session session, List<Ended> batch) {
        Set<Ended> lost = new HashSet<>();
        Map<Long, List<Ended>> byWorker = new TreeMap<>();
        for (Ended one : batch) {
            if (one.holding().claim() == null) {
                if (!writeAlone(session, one)) {
                    lost.add(one);
                }
            } else if (one.single()) {
                if (settle(session, one.holding().worker(), List.of(one), null).equals("lost")) {
                    lost.add(one);
                }
            } else {
                byWorker.computeIfAbsent(one.holding().worker(), worker -> new ArrayList<>())
                        .add(one);
            }
        }
        byWorker.forEach((worker, ones) -> {
            if (settle(session, worker, ones, null).equals("lost")) {
                lost.addAll(ones);
            }
        });
        tidyUp(session, batch, lost);
        return lost;
    }

    /** What jobs leave that have ended. */
    private void tidyUp(Session session, List<Ended> batch, Set<Ended> lost) {
        releaseUnique(session, batch, lost);
        List<Ended> asked = batch.stream().filter(Ended::asked).toList();
        forget(session, FORGET_CANCELLED, asked);
        if (!reported.isEmpty()) {
            forget(
                    session,
                    FORGET_PROGRESS,
                    batch.stream()
                            .filter(one -> reported.contains(one.holding().place()))
                            .toList());
        }
    }

    /** Of a job: in the transaction of its handler. */
    private static String settle(Session session, long worker, List<Ended> ones, @Nullable UUID job) {
        List<Entry> entries = entries(ones);
        String settled = session.one(
                        SETTLE,
                        bind -> bind.int8("worker", worker)
                                .int8s("ns", entries.stream().map(Entry::n).toList())
                                .texts(
                                        "positions",
                                        entries.stream().map(Entry::positions).toList())
                                .texts(
                                        "fates",
                                        entries.stream().map(Entry::fate).toList())
                                .texts(
                                        "results",
                                        entries.stream().map(Entry::results).toList())
                                .uuid("job", job)
                                .texts(
                                        "topics",
                                        entries.stream().map(Entry::topic).toList()),
                        row -> row.text("settled"))
                .orElseThrow();
        if (settled.equals("written")) {
            putAside(session, ones);
            bury(session, ones);
        }
        return settled;
    }

    /** One row of the ledger: positions of one claim that had one fate. */
    private record Entry(
            long n,
            String topic,
            String fate,
            String positions,
            @Nullable String results) {}

    private static List<Entry> entries(List<Ended> ones) {
        record Group(long n, String topic, String fate) {}
        Map<Group, List<Ended>> groups = new TreeMap<>(
                Comparator.comparingLong(Group::n).thenComparing(Group::topic).thenComparing(Group::fate));
        for (Ended one : ones) {
            Claim claim = one.holding().claim();
            if (claim != null) {
                Group group = new Group(claim.n(), one.holding().topic(), fate(one.ending()));
                groups.computeIfAbsent(group, missing -> new ArrayList<>()).add(one);
            }
        }
        List<Entry> entries = new ArrayList<>();
        groups.forEach((group, members) ->
                entries.add(new Entry(group.n(), group.topic(), group.fate(), positions(members), results(members))));
        return entries;
    }

    private static String fate(Ending ending) {
        if (ending instanceof Ending.Done) {
            return "done";
        }
        if (ending instanceof Ending.Cancelled) {
            return "cancelled";
        }
        return ending instanceof Ending.Dead ? "dead" : "aside";
    }

    /** As a multirange: neighbours together. */
    static String positions(List<Ended> members) {
        long[] sorted = members.stream()
                .mapToLong(one -> one.holding().job().position())
                .sorted()
                .toArray();
        StringBuilder text = new StringBuilder("{");
        for (int i = 0; i < sorted.length; ) {
            int last = i;
            while (last + 1 < sorted.length && sorted[last + 1] == sorted[last] + 1) {
                last++;
            }
            text.append(i == 0 ? "[" : ",[")
                    .append(sorted[i])
                    .append(',')
                    .append(sorted[last] + 1)
                    .append(')');
            i = last + 1;
        }
        return text.append('}').toString();
    }

    private static @Nullable String results(List<Ended> members) {
        StringBuilder text = new StringBuilder();
        for (Ended one : members) {
            String result = result(one.ending());
            if (result != null) {
                text.append(text.length() == 0 ? "{\"" : ",\"")
                        .append(one.holding().job().position())
                        .append("\":")
                        .append(result);
            }
        }
        return text.length() == 0 ? null : text.append('}').toString();
    }

    /** What is kept of it, as JSON: what a done job gave back, why one was cancelled. */
    private static @Nullable String result(Ending ending) {
        if (ending instanceof Ending.Cancelled cancelled) {
            return JsonText.quoted(cancelled.reason());
        }
        return ending instanceof Ending.Done done ? done.result() : null;
    }

    private static void putAside(Session session, List<Ended> ones) {
        Map<String, List<Ended>> byTopic = new TreeMap<>();
        for (Ended one : ones) {
            if (one.ending() instanceof Ending.Aside) {
                byTopic.computeIfAbsent(one.holding().topic(), topic -> new ArrayList<>())
                        .add(one);
            }
        }
        byTopic.forEach((topic, members) -> {
            List<Ending.Aside> asides =
                    members.stream().map(one -> (Ending.Aside) one.ending()).toList();
            session.query(
                    PUT_ASIDE,
                    bind -> bind.text("topic", topic)
                            .int8s("positions", positionsOf(members))
                            .texts(
                                    "whys",
                                    asides.stream().map(Ending.Aside::why).toList())
                            .int8s(
                                    "waits",
                                    asides.stream()
                                            .map(a -> a.delay().toMillis())
                                            .toList())
                            .int8s(
                                    "attempts",
                                    asides.stream()
                                            .map(a -> a.counted() ? 1L : 0L)
                                            .toList())
                            .texts(
                                    "codes",
                                    asides.stream().map(Ending.Aside::code).toList())
                            .texts(
                                    "errors",
                                    asides.stream().map(Ending.Aside::error).toList())
                            .texts("stacks", stacks(asides)),
                    row -> true);
        });
    }

    private static List<@Nullable String> stacks(List<? extends Ending> endings) {
        return endings.stream()
                .<@Nullable String>map(one -> StackText.of(one.cause()))
                .toList();
    }

    private static List<Long> positionsOf(List<Ended> members) {
        return members.stream().map(one -> one.holding().job().position()).toList();
    }

    private static void bury(Session session, List<Ended> ones) {
        bury(session, BURY, dead(ones, false));
        bury(session, BURY_BARE, dead(ones, true));
    }

    private static List<Ended> dead(List<Ended> ones, boolean bare) {
        return ones.stream()
                .filter(one ->
                        one.ending() instanceof Ending.Dead dead && dead.code().equals(UNREADABLE) == bare)
                .toList();
    }

    private static void bury(Session session, Sql how, List<Ended> dead) {
        if (dead.isEmpty()) {
            return;
        }
        List<Ending.Dead> ends =
                dead.stream().map(one -> (Ending.Dead) one.ending()).toList();
        session.update(how, bind -> {
            bind.texts("topics", dead.stream().map(one -> one.holding().topic()).toList())
                    .int8s("positions", positionsOf(dead))
                    .int8s(
                            "attempts",
                            dead.stream()
                                    .map(one -> (long) one.holding().job().attempt())
                                    .toList())
                    .texts("codes", ends.stream().map(Ending.Dead::code).toList())
                    .texts("errors", ends.stream().map(Ending.Dead::error).toList())
                    .texts("stacks", stacks(ends));
            if (how == BURY_BARE) {
                bind.uuids(
                        "ids",
                        dead.stream().map(one -> one.holding().job().id()).toList());
            }
        });
    }

    /** A job that goes by itself: its row is the fence. */
    private static boolean writeAlone(Session session, Ended one) {
        Holding holding = one.holding();
        Ending ending = one.ending();
        if (ending instanceof Ending.Aside aside) {
            return session.one( // false or no row: it is not ours any more
                            DELAY_AGAIN,
                            bind -> bind.text("topic", holding.topic())
                                    .int8("position", holding.job().position())
                                    .int8("worker", holding.worker())
                                    .int4("attempt", holding.job().attempt())
                                    .text("why", aside.why())
                                    .millis("wait", aside.delay())
                                    .bool("counted", aside.counted())
                                    .text("code", aside.code())
                                    .text("error", aside.error())
                                    .text("stack", StackText.of(aside.cause())),
                            row -> row.bool("ours"))
                    .orElse(false);
        }
        if (ending instanceof Ending.Dead dead) {
            return session.one(
                            BURY_DELAYED,
                            bind -> bind.text("topic", holding.topic())
                                    .int8("position", holding.job().position())
                                    .int8("worker", holding.worker())
                                    .int4("attempt", holding.job().attempt())
                                    .text("code", dead.code())
                                    .text("error", dead.error())
                                    .text("stack", StackText.of(dead.cause())),
                            row -> true)
                    .isPresent();
        }
        String result = result(ending);
        return session.one(
                        FINISH_DELAYED,
                        bind -> bind.text("topic", holding.topic())
                                .int8("position", holding.job().position())
                                .int8("worker", holding.worker())
                                .int4("attempt", holding.job().attempt())
                                .text("fate", fate(ending))
                                .text("result", result),
                        row -> row.bool("ours"))
                .orElse(false);
    }

    private static void releaseUnique(Session session, List<Ended> batch, Set<Ended> lost) {
        List<Ended> finished = batch.stream()
                .filter(one -> one.holding().uniqueKey() != null
                        && !(one.ending() instanceof Ending.Aside)
                        && !lost.contains(one))
                .toList();
        if (!finished.isEmpty()) {
            session.call(
                    RELEASE_UNIQUE,
                    bind -> bind.texts(
                                    "topics",
                                    finished.stream()
                                            .map(one -> one.holding().topic())
                                            .toList())
                            .texts(
                                    "projects",
                                    finished.stream()
                                            .<@Nullable String>map(
                                                    one -> one.holding().job().projectId())
                                            .toList())
                            .texts(
                                    "keys",
                                    finished.stream()
                                            .<@Nullable String>map(
                                                    one -> one.holding().uniqueKey())
                                            .toList())
                            .uuids(
                                    "ids",
                                    finished.stream()
                                            .map(one -> one.holding().job().id())
                                            .toList()));
        }
    }

    private static void forget(Session session, Sql what, List<Ended> ones) {
        if (!ones.isEmpty()) {
            session.call(
                    what,
                    bind -> bind.texts(
                                    "topics",
                                    ones.stream()
                                            .map(one -> one.holding().topic())
                                            .toList())
                            .int8s("positions", positionsOf(ones)));
        }
    }

    /** Writes down what has ended, and stops. */
    @Override
    public void close() {
        running = false;
        bell.ring();
        try {
            thread.join(10_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

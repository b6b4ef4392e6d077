package io.postrider.bench.jobs;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Fate;
import io.postrider.bench.BenchContext;
import io.postrider.bench.Scale;
import io.postrider.bench.Scenario;
import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.database.Statements;
import io.postrider.bench.load.PostriderLog;
import io.postrider.bench.measure.Rounds;
import io.postrider.bench.measure.Samples;
import io.postrider.bench.measure.ServerCounters;
import io.postrider.bench.report.Figure;
import io.postrider.bench.report.Goal;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** How fast a backlog of empty jobs is processed. */
public final class JobBacklog implements Scenario {
    private static final Goal OF_BARE = Goal.atLeast(0.9, "bare SKIP LOCKED loop");
    private static final Goal OF_LEASED = Goal.atLeast(3, "leases in a table");
    private static final int LOOPS = 4;
    private static final int SLOTS = 64;

    /** One round of one variant. */
    private record Turn(double rate, ServerCounters counted) {}

    /** One or two transactions of one of the usual ways. */
    private interface Loop {
        int once(Connection connection, JobTable.Handler handler) throws Exception;
    }

    /** Each turn has its own database, since a short run keeps them to its end. */
    private final AtomicInteger databases = new AtomicInteger();

    @Override
    public String name() {
        return "burn_down";
    }

    @Override
    public String conditions(Scale scale) {
        return scale.jobs().pile() + " jobs that do nothing, all there before the clock starts. postrider: one node, "
                + SLOTS
                + " slots; sequencing: the jobs have no positions yet. bare: " + LOOPS + " threads, each fetches "
                + JobTable.BATCH + " with FOR UPDATE SKIP LOCKED, handles and deletes them in one transaction: no"
                + " attempts, leases or history. leased: " + LOOPS + " threads, claim by UPDATE … RETURNING, settle by"
                + " UPDATE, " + JobTable.BATCH + " at a time";
    }

    @Override
    public double shortUntil() {
        return 20;
    }

    @Override
    public List<Figure> run(BenchContext bench) throws Exception {
        Map<String, Rounds.Measure<Turn>> variants = new LinkedHashMap<>();
        variants.put("postrider", () -> postrider(bench, true));
        variants.put("sequencing", () -> postrider(bench, false));
        variants.put("bare", () -> table(bench, JobTable::skipLocked));
        variants.put("leased", () -> table(bench, JobTable::leased));
        Samples<Turn> samples = bench.rounds("burn down", variants);
        List<Figure> figures = new ArrayList<>();
        double rate = samples.median("postrider", Turn::rate);
        figures.add(Figure.of(
                "burn_down.postrider", rate, "jobs/s", samples.ratio("postrider", "bare", Turn::rate), OF_BARE));
        figures.add(Figure.of(
                "burn_down.postrider_vs_leased",
                rate,
                "jobs/s",
                samples.ratio("postrider", "leased", Turn::rate),
                OF_LEASED));
        figures.add(Figure.of(
                "burn_down.sequencing",
                samples.median("sequencing", Turn::rate),
                "jobs/s",
                samples.ratio("sequencing", "bare", Turn::rate),
                OF_BARE));
        for (String variant : List.of("bare", "leased")) {
            figures.add(Figure.of("burn_down." + variant, samples.median(variant, Turn::rate), "jobs/s"));
        }
        for (String variant : variants.keySet()) {
            figures.addAll(samples.last(variant)
                    .counted()
                    .perOne("burn_down." + variant, "job", bench.scale().jobs().pile()));
        }
        return figures;
    }

    private Turn postrider(BenchContext bench, boolean sequenced) throws Exception {
        long jobs = bench.scale().jobs().pile();
        BenchDatabase database = bench.server().create("burn_down_" + databases.incrementAndGet());
        PostriderLog.install(database);
        try (Connection connection = database.connect("bench-install")) {
            PostriderJobs.enqueueMany(connection, jobs);
            if (sequenced) {
                PostriderLog.sequence(connection);
            }
            Statements.execute(connection, "vacuum (analyze)");
        }
        bench.checkpoint();
        ServerCounters before = ServerCounters.read(database, PostriderLog.SCHEMA);
        double rate;
        try (WorkingNode node = new WorkingNode(database, SLOTS, job -> Fate.done())) {
            long began = System.nanoTime();
            node.start();
            node.awaitDone(jobs);
            rate = jobs / ((System.nanoTime() - began) / 1e9);
        }
        Turn turn = new Turn(
                rate, ServerCounters.read(database, PostriderLog.SCHEMA).since(before));
        bench.drop(database);
        return turn;
    }

    private Turn table(BenchContext bench, Loop loop) throws Exception {
        long jobs = bench.scale().jobs().pile();
        BenchDatabase database = bench.server().create("burn_down_" + databases.incrementAndGet());
        try (Connection connection = database.connect("bench-install")) {
            JobTable.create(connection);
            JobTable.fill(connection, jobs);
            Statements.execute(connection, "vacuum (analyze)");
        }
        bench.checkpoint();
        ServerCounters before = ServerCounters.read(database, "public");
        LongAdder done = new LongAdder();
        double rate;
        ExecutorService threads = Executors.newFixedThreadPool(LOOPS);
        try (HikariDataSource pool = database.pool("bench-node", LOOPS, false)) {
            CountDownLatch ready = new CountDownLatch(LOOPS);
            CountDownLatch go = new CountDownLatch(1);
            List<Future<?>> loops = new ArrayList<>();
            for (int i = 0; i < LOOPS; i++) {
                loops.add(threads.submit(() -> {
                    try (Connection connection = pool.getConnection()) {
                        ready.countDown();
                        go.await();
                        while (loop.once(connection, row -> done.increment()) > 0) {
                            // again
                        }
                    }
                    return true;
                }));
            }
            ready.await();
            long began = System.nanoTime();
            go.countDown();
            for (Future<?> one : loops) {
                one.get();
            }
            rate = jobs / ((System.nanoTime() - began) / 1e9);
        } finally {
            threads.shutdown();
        }
        if (done.sum() < jobs) {
            throw new IllegalStateException("only " + done.sum() + " of " + jobs + " jobs were done");
        }
        Turn turn = new Turn(rate, ServerCounters.read(database, "public").since(before));
        bench.drop(database);
        return turn;
    }
}

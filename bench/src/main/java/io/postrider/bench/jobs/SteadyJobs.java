package io.postrider.bench.jobs;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Fate;
import io.postrider.bench.BenchContext;
import io.postrider.bench.Scale;
import io.postrider.bench.Scenario;
import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.database.ForeignTransaction;
import io.postrider.bench.database.Statements;
import io.postrider.bench.load.Clients;
import io.postrider.bench.load.PostriderLog;
import io.postrider.bench.measure.Latency;
import io.postrider.bench.measure.PickupTimes;
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
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Whether a worker keeps up with a steady load of jobs, how soon it gets them, and the effect of an open transaction. */
public final class SteadyJobs implements Scenario {
    private static final Goal KEEPS_UP = Goal.atLeast(0.99, "offered rate");
    private static final Goal RATE = Goal.atLeast(0.95, "free round");
    private static final Goal DEAD = Goal.below(500, "");
    private static final int SLOTS = 64;
    private static final int PRODUCERS = 4;
    private static final int TRANSACTION = 10;

    /** One round of one variant, with the server's counters for this many jobs, and the tables with dead tuples. */
    private record Turn(Work work, ServerCounters used, long jobs, String dead) {
        double rate() {
            return work.rate();
        }

        double p50() {
            return work.pickup().p50();
        }

        double p99() {
            return work.pickup().p99();
        }

        double deadPer100k() {
            return Math.max(0, used.dead()) * 1e5 / jobs;
        }
    }

    /** The node's throughput and the enqueue rate, in jobs/s. */
    private record Work(double rate, double produced, Latency pickup) {}

    @Override
    public String name() {
        return "steady";
    }

    @Override
    public String conditions(Scale scale) {
        return scale.jobs().rate() + " jobs/s for "
                + Figure.plain(scale.jobs().steady().toMillis() / 1e3)
                + " s a round, enqueued by " + PRODUCERS + " connections of the same process on a fixed schedule, "
                + TRANSACTION + " to a transaction (produced: less than that if they were late). One node, " + SLOTS
                + " slots, a handler that sleeps 1 ms. rate:"
                + " until the last job is settled. pickup: from the return of commit() to the handler. held: the same"
                + " while a foreign transaction is open all the time that has written and holds a snapshot";
    }

    @Override
    public double shortUntil() {
        return 32;
    }

    @Override
    public List<Figure> run(BenchContext bench) throws Exception {
        BenchDatabase database = bench.server().create("steady");
        PostriderJobs queue = PostriderJobs.install(database);
        ForeignTransaction.createTable(database);
        Map<String, Rounds.Measure<Turn>> variants = new LinkedHashMap<>();
        variants.put("free", () -> turn(bench, database, queue, false));
        variants.put("held", () -> turn(bench, database, queue, true));
        Samples<Turn> samples = bench.rounds("steady", variants);
        bench.drop(database);
        double rate = samples.median("free", Turn::rate);
        List<Figure> figures = new ArrayList<>();
        figures.add(Figure.of(
                "steady.rate", rate, "jobs/s", rate / bench.scale().jobs().rate(), KEEPS_UP));
        figures.add(Figure.of(
                "steady.held.rate",
                samples.median("held", Turn::rate),
                "jobs/s",
                samples.ratio("held", "free", Turn::rate),
                RATE));
        figures.add(Figure.of(
                        "steady.held.dead_tuples", samples.median("held", Turn::deadPer100k), "per 100,000 jobs", DEAD)
                .withNote(samples.last("held").dead()));
        figures.add(
                Figure.of("steady.free.dead_tuples", samples.median("free", Turn::deadPer100k), "per 100,000 jobs"));
        for (String variant : variants.keySet()) {
            figures.addAll(figures("steady." + variant, samples, variant));
        }
        return figures;
    }

    private static List<Figure> figures(String prefix, Samples<Turn> samples, String variant) {
        List<Figure> figures = new ArrayList<>();
        figures.add(Figure.of(prefix + ".pickup_p50", samples.median(variant, Turn::p50), "ms")
                .withRatio(samples.ratio(variant, "free", Turn::p50)));
        figures.add(Figure.of(prefix + ".pickup_p99", samples.median(variant, Turn::p99), "ms")
                .withRatio(samples.ratio(variant, "free", Turn::p99)));
        figures.add(Figure.of(
                prefix + ".produced",
                samples.median(variant, turn -> turn.work().produced()),
                "jobs/s"));
        Turn last = samples.last(variant);
        figures.addAll(last.used().costs(prefix, "job", last.jobs()));
        return figures;
    }

    private static Turn turn(BenchContext bench, BenchDatabase database, PostriderJobs queue, boolean held)
            throws Exception {
        try (Connection connection = database.connect("bench-install")) {
            Statements.execute(connection, "vacuum"); // so that no turn pays for leftovers of the previous one
        }
        bench.checkpoint();
        ServerCounters before = ServerCounters.read(database, PostriderLog.SCHEMA);
        try (Connection foreign = held ? ForeignTransaction.writingReader(database) : null) {
            int jobs = jobs(bench.scale().jobs());
            Work work = work(bench.scale().jobs(), database, queue);
            ServerCounters used =
                    ServerCounters.read(database, PostriderLog.SCHEMA).since(before);
            return new Turn(work, used, jobs, ServerCounters.deadByTable(database, PostriderLog.SCHEMA));
        }
    }

    private static int jobs(Scale.Jobs scale) {
        return (int) (scale.rate() / TRANSACTION * scale.steady().toMillis() / 1_000) * TRANSACTION;
    }

    /** Its sessions have ended when it returns, so the server has all their counts. */
    private static Work work(Scale.Jobs scale, BenchDatabase database, PostriderJobs queue) throws Exception {
        int jobs = jobs(scale);
        PickupTimes pickups = new PickupTimes(jobs);
        try (HikariDataSource pool = database.pool("bench-producers", PRODUCERS, false);
                Clients clients = new Clients(pool, PRODUCERS);
                WorkingNode node = new WorkingNode(database, SLOTS, job -> {
                    pickups.began(job.id());
                    TimeUnit.MILLISECONDS.sleep(1);
                    return Fate.done();
                })) {
            node.start();
            clients.runTimes(1, (connection, number) -> queue.enqueue(connection, UUID.randomUUID(), number));
            node.awaitDone(1); // it works before the clock starts
            long began = System.nanoTime();
            // Commits itself, to record the time: the client has nothing left to commit.
            clients.runAt(
                    scale.rate() / TRANSACTION,
                    scale.steady(),
                    (connection, number) -> pickups.produce(connection, queue, TRANSACTION));
            double producing = (System.nanoTime() - began) / 1e9;
            node.awaitDone(jobs + 1L);
            return new Work(jobs / ((System.nanoTime() - began) / 1e9), jobs / producing, pickups.latency());
        }
    }
}

package io.postrider.bench;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How soon a handler in another process has an event that was just committed. */
final class CommitToHandler implements Scenario {
    private static final Goal OF_BARE = Goal.atMost(2.5, "bare loop");

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public String conditions(Scale scale) {
        return Scale.EVENTS_PER_SECOND + " events/s on a fixed schedule for "
                + scale.latency().toMillis()
                + " ms a round, from the return of commit() to the handler in another process. bare: INSERT and NOTIFY in one"
                + " transaction; the reader LISTENs, SELECTs id > last, writes nothing";
    }

    @Override
    public double shortUntil() {
        return 25;
    }

    @Override
    public List<Figure> run(Bench bench) throws Exception {
        Side postrider = Side.postrider(bench.server(), "latency_log");
        Side bare = Side.notifying(bench.server(), "latency_bare");
        List<Figure> figures = new ArrayList<>();
        try (Rig log = Rig.open(postrider, 1);
                Rig loop = Rig.open(bare, 1);
                Connection toLog = postrider.database().connect("bench-producers");
                Connection toLoop = bare.database().connect("bench-producers")) {
            warmUp(bench, log, toLog);
            warmUp(bench, loop, toLoop);
            Map<String, Rounds.Measure<Latency>> variants = new LinkedHashMap<>();
            variants.put("bare", () -> turn(bench, loop, toLoop));
            variants.put("postrider", () -> turn(bench, log, toLog));
            figures.addAll(figures(bench.rounds("latency", variants)));
            Counting.vacuum(postrider);
            Counting.vacuum(bare);
            figures.addAll(Counting.count(bench, "latency.postrider", log));
            figures.addAll(Counting.count(bench, "latency.bare", loop));
        }
        bench.drop(postrider.database());
        bench.drop(bare.database());
        return figures;
    }

    /** Both runtimes have compiled what they run, and both sessions have their plans, before anything is timed. */
    private static void warmUp(Bench bench, Rig rig, Connection connection) throws Exception {
        rig.clients().runTimes(bench.scale().counted() / 10, rig.side()::produce);
        rig.settle();
        turn(bench, rig, connection);
    }

    private static Latency turn(Bench bench, Rig rig, Connection connection) throws Exception {
        bench.checkpoint();
        return Latency.measure(
                connection, rig.child(), bench.scale().latency(), rig.side().producer());
    }

    private static List<Figure> figures(Samples<Latency> samples) {
        List<Figure> figures = new ArrayList<>();
        figures.add(Figure.of(
                "latency.p50",
                samples.median("postrider", Latency::p50),
                "ms",
                samples.ratio("postrider", "bare", Latency::p50),
                OF_BARE));
        figures.add(Figure.of(
                "latency.p99",
                samples.median("postrider", Latency::p99),
                "ms",
                samples.ratio("postrider", "bare", Latency::p99),
                OF_BARE));
        figures.add(Figure.of("latency.max", samples.median("postrider", Latency::max), "ms")
                .withRatio(samples.ratio("postrider", "bare", Latency::max)));
        figures.add(Figure.of("latency.pass", samples.median("postrider", Latency::pass), "ms")
                .withNote("the sequencer's pass and its commit, which stand between commit and handler"));
        figures.add(Figure.of("latency.commit", samples.median("postrider", Latency::commit), "ms")
                .withNote("the producer's commit(): one round trip and one flush"));
        figures.add(Figure.of("latency.bare.p50", samples.median("bare", Latency::p50), "ms"));
        figures.add(Figure.of("latency.bare.p99", samples.median("bare", Latency::p99), "ms"));
        figures.add(Figure.of("latency.bare.max", samples.median("bare", Latency::max), "ms"));
        figures.add(Figure.of("latency.bare.early", samples.median("bare", Latency::early), "events/round")
                .withNote("reached the handler before the producer was told of its own commit; counted as 0 ms"));
        return figures;
    }
}

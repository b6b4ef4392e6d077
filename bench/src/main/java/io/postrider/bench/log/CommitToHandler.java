package io.postrider.bench.log;

import io.postrider.bench.BenchContext;
import io.postrider.bench.Scale;
import io.postrider.bench.Scenario;
import io.postrider.bench.database.BenchServer;
import io.postrider.bench.load.Side;
import io.postrider.bench.load.SideRun;
import io.postrider.bench.measure.Counting;
import io.postrider.bench.measure.CpuUsage;
import io.postrider.bench.measure.Latency;
import io.postrider.bench.measure.Rounds;
import io.postrider.bench.measure.Samples;
import io.postrider.bench.measure.ServerCounters;
import io.postrider.bench.report.Figure;
import io.postrider.bench.report.Goal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How soon a handler in another process receives an event, or a job, that was just committed. */
public final class CommitToHandler implements Scenario {
    private static final Goal OF_BARE = Goal.atMost(2.5, "bare loop");

    /**
     * What is committed: events for a listener, or jobs for a worker.
     *
     * @param p99 the goal for the 99th percentile; null if it is informational
     */
    private record Subject(
            String scenario,
            String noun,
            double shortUntil,
            Opener opener,
            @Nullable Goal p99) {}

    /** Creates Postrider's side. */
    private interface Opener {
        Side open(BenchServer server, String name) throws SQLException;
    }

    private final Subject subject;

    private CommitToHandler(Subject subject) {
        this.subject = subject;
    }

    public static CommitToHandler ofEvents() {
        return new CommitToHandler(new Subject("latency", "event", 25, Side::postrider, OF_BARE));
    }

    public static CommitToHandler ofJobs() {
        return new CommitToHandler(new Subject("job_latency", "job", 44, Side::working, null));
    }

    /** One round of one variant. */
    private record Turn(Latency latency, Map<String, Double> cores, double wal, double xids) {
        /** Microseconds of processor time per event, from the producer to the handler, with idle time in between. */
        double cpu() {
            return CpuUsage.ours(cores) / Scale.EVENTS_PER_SECOND * 1e6;
        }
    }

    @Override
    public String name() {
        return subject.scenario();
    }

    @Override
    public String conditions(Scale scale) {
        return Scale.EVENTS_PER_SECOND + " " + subject.noun() + "s/s on a fixed schedule for "
                + scale.latency().toMillis()
                + " ms a round, from the return of commit() to the handler in another process. bare: INSERT and NOTIFY in one"
                + " transaction; the reader LISTENs, SELECTs id > last, writes nothing";
    }

    @Override
    public double shortUntil() {
        return subject.shortUntil();
    }

    @Override
    public List<Figure> run(BenchContext bench) throws Exception {
        Side postrider = subject.opener().open(bench.server(), name() + "_postrider");
        Side bare = Side.notifying(bench.server(), name() + "_bare");
        List<Figure> figures = new ArrayList<>();
        try (SideRun log = SideRun.open(postrider, 1);
                SideRun loop = SideRun.open(bare, 1);
                Connection toLog = postrider.database().connect("bench-producers");
                Connection toLoop = bare.database().connect("bench-producers")) {
            warmUp(bench, log, toLog);
            warmUp(bench, loop, toLoop);
            Map<String, Rounds.Measure<Turn>> variants = new LinkedHashMap<>();
            variants.put("bare", () -> turn(bench, loop, toLoop));
            variants.put("postrider", () -> turn(bench, log, toLog));
            Samples<Turn> samples = bench.rounds(name(), variants);
            figures.addAll(figures(samples));
            for (String variant : List.of("postrider", "bare")) {
                String atRate = name() + "." + variant + ".at_rate";
                figures.add(Figure.of(atRate + ".wal", samples.median(variant, Turn::wal), "bytes/" + subject.noun()));
                figures.add(
                        Figure.of(atRate + ".xids", samples.median(variant, Turn::xids), "xids/" + subject.noun())
                                .withNote(
                                        "transactions that wrote, while it is quiet between; the counts below are at full rate"));
            }
            if (bench.server().isLocal()) {
                for (String variant : List.of("postrider", "bare")) {
                    figures.add(Figure.of(
                            name() + "." + variant + ".cpu",
                            samples.median(variant, Turn::cpu),
                            "us/" + subject.noun()));
                }
            }
            Counting.vacuum(postrider);
            Counting.vacuum(bare);
            figures.addAll(Counting.count(bench, name() + ".postrider", subject.noun(), log));
            figures.addAll(Counting.count(bench, name() + ".bare", subject.noun(), loop));
        }
        bench.drop(postrider.database());
        bench.drop(bare.database());
        return figures;
    }

    /** Both runtimes have compiled their code, and both sessions have their plans, before anything is timed. */
    private static void warmUp(BenchContext bench, SideRun rig, Connection connection) throws Exception {
        rig.clients().runTimes(bench.scale().counted() / 10, rig.side()::produce);
        rig.settle();
        turn(bench, rig, connection);
    }

    private static Turn turn(BenchContext bench, SideRun rig, Connection connection) throws Exception {
        bench.checkpoint();
        CpuUsage cpu = new CpuUsage(bench, rig.side().database()).with("consumer JVM", rig.child());
        CpuUsage.Reading before = cpu.read();
        ServerCounters counted =
                ServerCounters.read(rig.side().database(), rig.side().schema());
        Latency latency = Latency.measure(
                connection, rig.child(), bench.scale().latency(), rig.side().producer());
        Map<String, Double> cores = cpu.read().cores(before);
        ServerCounters now =
                ServerCounters.read(rig.side().database(), rig.side().schema()).since(counted);
        double events = Scale.EVENTS_PER_SECOND * bench.scale().latency().toMillis() / 1e3;
        return new Turn(latency, cores, now.wal() / events, now.xids() / events);
    }

    private List<Figure> figures(Samples<Turn> samples) {
        List<Figure> figures = new ArrayList<>();
        figures.add(Figure.of(
                name() + ".p50",
                samples.median("postrider", turn -> turn.latency().p50()),
                "ms",
                samples.ratio("postrider", "bare", turn -> turn.latency().p50()),
                OF_BARE));
        figures.add(new Figure(
                name() + ".p99",
                samples.median("postrider", turn -> turn.latency().p99()),
                "ms",
                samples.ratio("postrider", "bare", turn -> turn.latency().p99()),
                subject.p99(),
                null));
        figures.add(Figure.of(
                        name() + ".max",
                        samples.median("postrider", turn -> turn.latency().max()),
                        "ms")
                .withRatio(samples.ratio(
                        "postrider", "bare", turn -> turn.latency().max())));
        figures.add(Figure.of(
                        name() + ".pass",
                        samples.median("postrider", turn -> turn.latency().pass()),
                        "ms")
                .withNote("the sequencer's pass and its commit, which come between commit and handler"));
        figures.add(Figure.of(
                        name() + ".commit",
                        samples.median("postrider", turn -> turn.latency().commit()),
                        "ms")
                .withNote("the producer's commit(): one round trip and one flush"));
        figures.add(Figure.of(
                name() + ".bare.p50",
                samples.median("bare", turn -> turn.latency().p50()),
                "ms"));
        figures.add(Figure.of(
                name() + ".bare.p99",
                samples.median("bare", turn -> turn.latency().p99()),
                "ms"));
        figures.add(Figure.of(
                name() + ".bare.max",
                samples.median("bare", turn -> turn.latency().max()),
                "ms"));
        figures.add(Figure.of(
                        name() + ".bare.early",
                        samples.median("bare", turn -> turn.latency().early()),
                        subject.noun() + "s/round")
                .withNote(
                        "reached the handler before the producer received the answer to its commit; counted as 0 ms"));
        return figures;
    }
}

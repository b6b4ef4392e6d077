package io.postrider.bench.log;

import io.postrider.bench.BenchContext;
import io.postrider.bench.Scale;
import io.postrider.bench.Scenario;
import io.postrider.bench.load.Clients;
import io.postrider.bench.load.Side;
import io.postrider.bench.load.SideRun;
import io.postrider.bench.load.Sides;
import io.postrider.bench.measure.Counting;
import io.postrider.bench.measure.CpuUsage;
import io.postrider.bench.measure.Rounds;
import io.postrider.bench.measure.Samples;
import io.postrider.bench.report.Figure;
import io.postrider.bench.report.Goal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The cost for a producer: one event per transaction, many clients, as fast as they can. */
public final class ProducerThroughput implements Scenario {
    private static final Duration REST = Duration.ofMillis(100);
    private static final Goal OF_PLAIN = Goal.atLeast(0.85, "plain inserts");
    private static final Goal OF_NOTIFYING = Goal.atLeast(3, "notifying trigger");

    /** One round of one variant. Delivered is the share of the events that had reached the listener at its end. */
    private record Turn(double rate, double delivered, double wakeUps, Map<String, Double> cores) {
        /** Microseconds of processor time per event, in all processes involved. */
        double cpu() {
            return CpuUsage.ours(cores) / rate * 1e6;
        }
    }

    @Override
    public String name() {
        return "producers";
    }

    @Override
    public String conditions(Scale scale) {
        return scale.clients()
                + " clients, one event of about 200 bytes for each transaction. Postrider: with a node in another process"
                + " that gives positions at the same time, on the same cores. plain: inserts into a bare table that nothing"
                + " reads. notifying: a table with a notifying trigger and its reader. no_node: Postrider's producers alone."
                + " listening: the node feeds a listener, too. polled: what compares with that, the bare table and a reader"
                + " that polls every 5 ms. burst: each begins when the sequencer sleeps, lasts "
                + scale.burst().toMillis() + " ms";
    }

    @Override
    public double shortUntil() {
        return 16;
    }

    @Override
    public List<Figure> run(BenchContext bench) throws Exception {
        Map<String, Side> sides = new LinkedHashMap<>();
        sides.put("plain", Side.plain(bench.server(), "plain"));
        sides.put("postrider", Side.sequencing(bench.server(), "log"));
        sides.put("notifying", Side.triggering(bench.server(), "notifying"));
        sides.put("no_node", Side.postriderAlone(bench.server(), "alone"));
        if (!bench.scale().isShort()) {
            sides.put("listening", Side.postrider(bench.server(), "listening"));
            sides.put("polled", Side.polled(bench.server(), "polled"));
        }
        List<Figure> figures = new ArrayList<>();
        Map<String, SideRun> rigs = new LinkedHashMap<>();
        try {
            for (Map.Entry<String, Side> side : sides.entrySet()) {
                rigs.put(
                        side.getKey(),
                        SideRun.open(side.getValue(), bench.scale().clients()));
            }
            figures.addAll(steady(bench, rigs));
            figures.addAll(bursts(bench, rigs));
            for (Side side : sides.values()) {
                Counting.vacuum(side);
            }
            for (String counted : List.of("plain", "postrider", "notifying")) {
                figures.addAll(Counting.count(bench, "producers." + counted, "event", Sides.of(rigs, counted)));
            }
        } finally {
            rigs.values().forEach(SideRun::close);
        }
        for (Side side : sides.values()) {
            bench.drop(side.database());
        }
        return figures;
    }

    private static List<Figure> steady(BenchContext bench, Map<String, SideRun> rigs) throws Exception {
        Map<String, Rounds.Measure<Turn>> variants = new LinkedHashMap<>();
        rigs.forEach((name, rig) -> variants.put(name, () -> turn(bench, rig)));
        Samples<Turn> samples = bench.rounds("producers", variants);
        double rate = samples.median("postrider", Turn::rate);
        List<Figure> figures = new ArrayList<>();
        figures.add(
                Figure.of("producers.rate", rate, "events/s", samples.ratio("postrider", "plain", Turn::rate), OF_PLAIN)
                        .withNote(cores(samples, "postrider")));
        figures.add(Figure.of(
                "producers.rate_vs_notifying",
                rate,
                "events/s",
                samples.ratio("postrider", "notifying", Turn::rate),
                OF_NOTIFYING));
        for (String other : List.of("plain", "notifying")) {
            figures.add(Figure.of("producers." + other + ".rate", samples.median(other, Turn::rate), "events/s")
                    .withNote(cores(samples, other)));
        }
        for (String other : List.of("no_node", "listening", "polled")) {
            if (rigs.containsKey(other)) {
                figures.add(Figure.of("producers." + other + ".rate", samples.median(other, Turn::rate), "events/s")
                        .withRatio(samples.ratio(other, "plain", Turn::rate)));
            }
        }
        if (bench.server().isLocal()) {
            for (String side : rigs.keySet()) {
                figures.add(Figure.of("producers." + side + ".cpu", samples.median(side, Turn::cpu), "us/event"));
            }
        }
        if (rigs.containsKey("listening")) {
            figures.add(Figure.of(
                    "producers.delivered", samples.median("listening", Turn::delivered), "of events within the round"));
        }
        return figures;
    }

    private static Turn turn(BenchContext bench, SideRun rig) throws Exception {
        bench.checkpoint();
        rig.produceFor(bench.scale().producing().dividedBy(4));
        CpuUsage cpu = new CpuUsage(bench, rig.side().database());
        if (rig.hasChild()) {
            cpu.with("consumer JVM", rig.child());
        }
        CpuUsage.Reading before = cpu.read();
        long handled = rig.hasChild() ? rig.child().handled() : 0;
        Clients.Run run = rig.produceFor(bench.scale().producing());
        long delivered = rig.hasChild() ? rig.child().handled() - handled : 0;
        Map<String, Double> cores = cpu.read().cores(before);
        settle(rig);
        return new Turn(run.perSecond(), (double) delivered / run.events(), 0, cores);
    }

    /** Sleep, burst, sleep, burst: the cost of waking the sequencer, until it stays awake. */
    private static List<Figure> bursts(BenchContext bench, Map<String, SideRun> rigs) throws Exception {
        Map<String, Rounds.Measure<Turn>> variants = new LinkedHashMap<>();
        for (String name : List.of("plain", "postrider", "notifying")) {
            SideRun rig = Sides.of(rigs, name);
            variants.put(name, () -> burst(bench, rig, name.equals("postrider")));
        }
        Samples<Turn> samples = bench.rounds("producers, from asleep to awake", variants);
        double rate = samples.median("postrider", Turn::rate);
        List<Figure> figures = new ArrayList<>();
        figures.add(Figure.of(
                "producers.burst_rate", rate, "events/s", samples.ratio("postrider", "plain", Turn::rate), OF_PLAIN));
        figures.add(Figure.of(
                "producers.burst_rate_vs_notifying",
                rate,
                "events/s",
                samples.ratio("postrider", "notifying", Turn::rate),
                OF_NOTIFYING));
        figures.add(
                Figure.of("producers.burst_wake_ups", samples.median("postrider", Turn::wakeUps), "wake-ups/burst"));
        return figures;
    }

    private static Turn burst(BenchContext bench, SideRun rig, boolean sleeps) throws Exception {
        long events = 0;
        double seconds = 0;
        long wakeUps = rig.hasChild() ? rig.child().notified() : 0;
        int bursts = bench.scale().bursts();
        for (int i = 0; i < bursts; i++) {
            TimeUnit.MILLISECONDS.sleep(REST.toMillis());
            if (sleeps && !rig.awaitAsleep()) {
                throw new IllegalStateException("the sequencer did not fall asleep within three seconds of quiet");
            }
            Clients.Run run = rig.produceFor(bench.scale().burst());
            events += run.events();
            seconds += run.seconds();
            settle(rig);
        }
        wakeUps = rig.hasChild() ? rig.child().notified() - wakeUps : 0;
        return new Turn(events / seconds, 1, (double) wakeUps / bursts, Map.of());
    }

    /** Leftover events must not be read in the next variant's turn. The bare loops read at once what they can see. */
    private static void settle(SideRun rig) throws Exception {
        if (rig.hasChild()) {
            rig.settle();
        }
    }

    private static String cores(Samples<Turn> samples, String variant) {
        return CpuUsage.text(samples.last(variant).cores());
    }
}

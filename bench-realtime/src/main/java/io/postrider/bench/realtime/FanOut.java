package io.postrider.bench.realtime;

import io.postrider.bench.BenchContext;
import io.postrider.bench.Scale;
import io.postrider.bench.Scenario;
import io.postrider.bench.measure.CpuUsage;
import io.postrider.bench.measure.Rounds;
import io.postrider.bench.measure.Samples;
import io.postrider.bench.report.Figure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How many deliveries per second reach a full room, without any client losing one. */
final class FanOut implements Scenario {
    /** Sent at once, in one transaction or one pipeline, because the producer is not measured. */
    private static final int BURST = 32;

    /** How far the producer may be ahead of the slowest client; less than the gateway queues for a client before it is cut. */
    private static final int AHEAD = 256;

    /** One round of one variant. */
    private record Turn(double rate, Map<String, Double> cores) {}

    @Override
    public String name() {
        return "fan_out";
    }

    @Override
    public String conditions(Scale scale) {
        Scale.Realtime much = scale.realtime();
        return much.messages() + " messages of about 200 bytes to each of " + much.crowd()
                + " clients of Server-Sent Events in one room, in a process of their own; sent " + BURST
                + " at once, at most " + AHEAD
                + " ahead of the slowest client; every client gets every message once and in"
                + " order, or the run fails. The ways are those of commit_to_client";
    }

    @Override
    public double shortUntil() {
        return 44;
    }

    @Override
    public List<Figure> run(BenchContext bench) throws Exception {
        try (Stage stage = Stage.open(bench, name(), bench.scale().realtime().crowd())) {
            Map<String, Rounds.Measure<Turn>> variants = new LinkedHashMap<>();
            variants.put(Stage.BARE, () -> turn(bench, stage, Stage.BARE));
            variants.put(Stage.POSTRIDER, () -> turn(bench, stage, Stage.POSTRIDER));
            return figures(bench.scale(), bench.rounds(name(), variants));
        }
    }

    private static Turn turn(BenchContext bench, Stage stage, String name) throws Exception {
        bench.checkpoint();
        int messages = bench.scale().realtime().messages();
        long turn = Stage.nextTurn();
        stage.crowd().begin(name, turn, messages);
        CpuUsage cpu = stage.cpu(name);
        CpuUsage.Reading before = cpu.read();
        long began = System.nanoTime();
        for (int from = 0; from < messages; from += BURST) {
            stage.way(name).sendAll(turn, from, Math.min(messages, from + BURST));
            stage.crowd().awaitLeast(name, from + BURST - AHEAD);
        }
        stage.crowd().awaitLeast(name, messages);
        double seconds = (stage.crowd().lastAt(name) - began) / 1e9;
        double deliveries = (double) messages * stage.crowd().size();
        return new Turn(deliveries / seconds, cpu.read().cores(before));
    }

    private static List<Figure> figures(Scale scale, Samples<Turn> samples) {
        double rate = samples.median(Stage.POSTRIDER, Turn::rate);
        double bare = samples.median(Stage.BARE, Turn::rate);
        List<Figure> figures = new ArrayList<>();
        figures.add(Figure.of("fan_out.rate", rate, "deliveries/s")
                .withRatio(samples.ratio(Stage.POSTRIDER, Stage.BARE, Turn::rate))
                .withNote(CpuUsage.text(samples.last(Stage.POSTRIDER).cores())));
        figures.add(Figure.of("fan_out.messages", rate / scale.realtime().crowd(), "messages/s"));
        figures.add(Figure.of("fan_out.bare", bare, "deliveries/s")
                .withNote(CpuUsage.text(samples.last(Stage.BARE).cores())));
        return figures;
    }
}

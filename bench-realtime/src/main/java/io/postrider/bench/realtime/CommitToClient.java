package io.postrider.bench.realtime;

import io.postrider.bench.BenchContext;
import io.postrider.bench.Scale;
import io.postrider.bench.Scenario;
import io.postrider.bench.load.Clients;
import io.postrider.bench.measure.CpuUsage;
import io.postrider.bench.measure.Rounds;
import io.postrider.bench.measure.Samples;
import io.postrider.bench.report.Figure;
import io.postrider.bench.report.Goal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** How soon every client in a room receives a message that was just committed. */
final class CommitToClient implements Scenario {
    /** The warm-up is no load test: its rate is well below the capacity of either variant. */
    private static final int WARMING_RATE = 300;

    private static final Goal OF_BARE = Goal.atMost(2, "bare Redis and SSE");

    /** One round of one variant. */
    private record Turn(Arrival arrival, Sequenced sequenced, Map<String, Double> cores) {}

    @Override
    public String name() {
        return "commit_to_client";
    }

    @Override
    public String conditions(Scale scale) {
        Scale.Realtime much = scale.realtime();
        return much.rate() + " messages/s of about 200 bytes on a fixed schedule for "
                + much.timed().toMillis() + " ms a round, " + much.clients()
                + " clients of Server-Sent Events in one room, in a process of their own; until the read that completed the"
                + " frame, of every client; " + much.warming()
                + " messages of each way beforehand. postrider: from the return of commit() of an emit, through the server in its"
                + " role gateway, which sequences and follows the log. bare: from before a PUBLISH of the same JSON to"
                + " Redis, through a subscriber that writes to every stream in turn, in the same container, with nothing"
                + " else";
    }

    @Override
    public double shortUntil() {
        return 26;
    }

    @Override
    public List<Figure> run(BenchContext bench) throws Exception {
        Scale.Realtime much = bench.scale().realtime();
        try (Stage stage = Stage.open(bench, name(), much.clients())) {
            if (much.warming() > 0) {
                warm(bench, stage, much.warming());
            }
            Map<String, Rounds.Measure<Turn>> variants = new LinkedHashMap<>();
            variants.put(Stage.BARE, () -> turn(bench, stage, Stage.BARE));
            variants.put(Stage.POSTRIDER, () -> turn(bench, stage, Stage.POSTRIDER));
            return figures(bench.rounds(name(), variants));
        }
    }

    private void warm(BenchContext bench, Stage stage, int messages) throws Exception {
        for (String name : List.of(Stage.BARE, Stage.POSTRIDER)) {
            bench.tell(name() + ": " + messages + " messages to warm " + name);
            long turn = Stage.nextTurn();
            stage.crowd().begin(name, turn, messages);
            send(stage.way(name), turn, new long[messages], WARMING_RATE);
            stage.crowd().awaitLeast(name, messages);
        }
    }

    private static Turn turn(BenchContext bench, Stage stage, String name) throws Exception {
        bench.checkpoint();
        Scale.Realtime much = bench.scale().realtime();
        int messages = Math.max(5, (int) (much.rate() * much.timed().toMillis() / 1_000));
        long[] sent = new long[messages];
        long turn = Stage.nextTurn();
        Way way = stage.way(name);
        stage.crowd().begin(name, turn, messages);
        stage.gateway().begin();
        CpuUsage cpu = stage.cpu(name);
        CpuUsage.Reading before = cpu.read();
        send(way, turn, sent, much.rate());
        stage.crowd().awaitLeast(name, messages);
        Map<String, Double> cores = cpu.read().cores(before);
        return new Turn(
                stage.crowd().arrival(name, sent),
                way == stage.gateway() ? stage.gateway().sequenced(sent) : Sequenced.NOT,
                cores);
    }

    /** Sends on a fixed schedule: a late message does not delay those after it. */
    private static void send(Way way, long turn, long[] sent, int rate) throws Exception {
        long gap = 1_000_000_000L / rate;
        long began = System.nanoTime();
        for (int i = 0; i < sent.length; i++) {
            Clients.awaitTime(began + i * gap);
            sent[i] = way.send(turn, i);
        }
    }

    private static List<Figure> figures(Samples<Turn> samples) {
        List<Figure> figures = new ArrayList<>();
        figures.add(Figure.of("commit_to_client.p50", samples.median(Stage.POSTRIDER, CommitToClient::p50), "ms")
                .withRatio(samples.ratio(Stage.POSTRIDER, Stage.BARE, CommitToClient::p50)));
        figures.add(Figure.of(
                        "commit_to_client.p99",
                        samples.median(Stage.POSTRIDER, CommitToClient::p99),
                        "ms",
                        samples.ratio(Stage.POSTRIDER, Stage.BARE, CommitToClient::p99),
                        OF_BARE)
                .withNote(CpuUsage.text(samples.last(Stage.POSTRIDER).cores())));
        figures.addAll(sequenced(samples));
        for (String way : List.of(Stage.POSTRIDER, Stage.BARE)) {
            figures.addAll(parts("commit_to_client." + way, samples, way));
        }
        return figures;
    }

    /** The share of the time up to the position. */
    private static List<Figure> sequenced(Samples<Turn> samples) {
        return List.of(
                part("commit", samples, Sequenced::commit)
                        .withNote("commit() itself, before the clock starts: the flush of the WAL"),
                part("pass", samples, Sequenced::pass)
                        .withNote(samples.last(Stage.POSTRIDER).sequenced().text()),
                part("sequenced_p50", samples, Sequenced::p50)
                        .withNote("from the return of commit() until the gateway's node knows the position"),
                part("sequenced_p99", samples, Sequenced::p99));
    }

    private static Figure part(String name, Samples<Turn> samples, ToDoubleFunction<Sequenced> value) {
        return Figure.of(
                "commit_to_client.postrider." + name,
                samples.median(Stage.POSTRIDER, turn -> value.applyAsDouble(turn.sequenced())),
                "ms");
    }

    private static List<Figure> parts(String prefix, Samples<Turn> samples, String way) {
        List<Figure> figures = new ArrayList<>();
        if (way.equals(Stage.BARE)) {
            figures.add(Figure.of(prefix + ".p50", samples.median(way, CommitToClient::p50), "ms"));
            figures.add(Figure.of(prefix + ".p99", samples.median(way, CommitToClient::p99), "ms")
                    .withNote(CpuUsage.text(samples.last(way).cores())));
        }
        figures.add(Figure.of(
                prefix + ".max", samples.median(way, turn -> turn.arrival().max()), "ms"));
        figures.add(Figure.of(
                prefix + ".first_p50",
                samples.median(way, turn -> turn.arrival().first()),
                "ms"));
        figures.add(Figure.of(
                prefix + ".spread_p50",
                samples.median(way, turn -> turn.arrival().spread()),
                "ms"));
        return figures;
    }

    private static double p50(Turn turn) {
        return turn.arrival().p50();
    }

    private static double p99(Turn turn) {
        return turn.arrival().p99();
    }
}

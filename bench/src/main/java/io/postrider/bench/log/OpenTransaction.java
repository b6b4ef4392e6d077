package io.postrider.bench.log;

import io.postrider.bench.BenchContext;
import io.postrider.bench.Scale;
import io.postrider.bench.Scenario;
import io.postrider.bench.database.ForeignTransaction;
import io.postrider.bench.load.Clients;
import io.postrider.bench.load.Side;
import io.postrider.bench.load.SideRun;
import io.postrider.bench.measure.Counting;
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

/** The effect of another session's open transaction on the log: it stops vacuum, and must not stop or slow anything else. */
public final class OpenTransaction implements Scenario {
    private static final Goal RATE = Goal.atLeast(0.95, "clean round");
    private static final Goal P50 = Goal.atMost(1.3, "clean round");
    private static final Goal P99 = Goal.atMost(1.5, "clean round");
    private static final Goal DEAD = Goal.below(1_000, "");

    /** What the open transaction holds. */
    private enum Held {
        CLEAN,
        WRITER,
        READER
    }

    /** One round of one variant, with the server's counters for this many events, and the tables with dead tuples. */
    private record Turn(double rate, Latency latency, ServerCounters used, double events, String dead) {
        double perMillion(long count) {
            return Math.max(0, count) / events * 1e6;
        }
    }

    @Override
    public String name() {
        return "held";
    }

    @Override
    public String conditions(Scale scale) {
        return "a foreign transaction is open for " + Figure.plain(scale.hold().toMillis() / 1000.0) + " s under "
                + scale.holdRate() + " events/s, and goes on while the rate of " + scale.clients()
                + " clients and then the latency at " + Scale.EVENTS_PER_SECOND
                + " events/s are measured; node running."
                + " writer: it has written to another table. reader: REPEATABLE READ. clean: the same without it";
    }

    @Override
    public double shortUntil() {
        return 36;
    }

    @Override
    public List<Figure> run(BenchContext bench) throws Exception {
        Side side = Side.postrider(bench.server(), "held");
        ForeignTransaction.createTable(side.database());
        Samples<Turn> samples;
        try (SideRun rig = SideRun.open(side, bench.scale().clients());
                Connection producer = side.database().connect("bench-producers")) {
            Map<String, Rounds.Measure<Turn>> variants = new LinkedHashMap<>();
            for (Held held : Held.values()) {
                variants.put(held.name(), () -> turn(bench, rig, producer, held));
            }
            samples = bench.rounds("held", variants);
        }
        bench.drop(side.database());
        List<Figure> figures = new ArrayList<>(figures("held.writer", samples, Held.WRITER));
        figures.addAll(figures("held.reader", samples, Held.READER));
        String clean = Held.CLEAN.name();
        figures.add(Figure.of("held.clean.rate", samples.median(clean, Turn::rate), "events/s"));
        figures.add(Figure.of(
                "held.clean.p50", samples.median(clean, turn -> turn.latency().p50()), "ms"));
        figures.add(Figure.of(
                "held.clean.p99", samples.median(clean, turn -> turn.latency().p99()), "ms"));
        return figures;
    }

    private static List<Figure> figures(String prefix, Samples<Turn> samples, Held held) {
        String it = held.name();
        String clean = Held.CLEAN.name();
        return List.of(
                Figure.of(
                        prefix + ".rate",
                        samples.median(it, Turn::rate),
                        "events/s",
                        samples.ratio(it, clean, Turn::rate),
                        RATE),
                Figure.of(
                        prefix + ".p50",
                        samples.median(it, turn -> turn.latency().p50()),
                        "ms",
                        samples.ratio(it, clean, turn -> turn.latency().p50()),
                        P50),
                Figure.of(
                        prefix + ".p99",
                        samples.median(it, turn -> turn.latency().p99()),
                        "ms",
                        samples.ratio(it, clean, turn -> turn.latency().p99()),
                        P99),
                Figure.of(
                                prefix + ".dead_tuples",
                                samples.median(
                                        it, turn -> turn.perMillion(turn.used().dead())),
                                "per million events",
                                DEAD)
                        .withNote(samples.last(it).dead()),
                Figure.of(
                        prefix + ".rewritten",
                        samples.median(it, turn -> turn.perMillion(turn.used().rewritten())),
                        "rows per million events"),
                Figure.of(
                        prefix + ".wal", samples.median(it, turn -> turn.used().wal() / turn.events()), "bytes/event"),
                Figure.of(
                        prefix + ".commits",
                        samples.median(it, turn -> turn.used().commits() / turn.events()),
                        "commits/event"),
                Figure.of(
                        prefix + ".xids",
                        samples.median(it, turn -> turn.used().xids() / turn.events()),
                        "xids/event"));
    }

    private static Turn turn(BenchContext bench, SideRun rig, Connection producer, Held held) throws Exception {
        Side side = rig.side();
        Counting.vacuum(side); // so that no turn pays for leftovers of the previous one
        bench.checkpoint();
        ServerCounters before = ServerCounters.read(side.database(), side.schema());
        Turn turn;
        try (Connection foreign = open(side, held)) {
            long events =
                    rig.clients().runAt(bench.scale().holdRate(), bench.scale().hold(), side::produce);
            Clients.Run run = rig.produceFor(bench.scale().producing());
            rig.settle();
            Latency latency =
                    Latency.measure(producer, rig.child(), bench.scale().latency(), side.producer());
            rig.stopConsumer(); // ends its sessions, so that the server has their counts of updates and deletes
            ServerCounters used =
                    ServerCounters.read(side.database(), side.schema()).since(before);
            String dead = ServerCounters.deadByTable(side.database(), side.schema());
            turn = new Turn(run.perSecond(), latency, used, (double) events + run.events(), dead);
        }
        rig.startConsumer();
        return turn;
    }

    private static @Nullable Connection open(Side side, Held held) throws SQLException {
        return switch (held) {
            case CLEAN -> null;
            case WRITER -> ForeignTransaction.writer(side.database());
            case READER -> ForeignTransaction.reader(side.database());
        };
    }
}

package io.postrider.bench.alternatives;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.bench.BenchContext;
import io.postrider.bench.Scale;
import io.postrider.bench.Scenario;
import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.database.Statements;
import io.postrider.bench.measure.Rounds;
import io.postrider.bench.measure.Samples;
import io.postrider.bench.report.Figure;
import io.postrider.bench.report.Goal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.HdrHistogram.Histogram;

/** The events that each way to read an outbox loses, the delay that it adds, and how long it stalls. */
public final class OutboxReaders implements Scenario {
    private static final int POOL = 20;
    private static final String COMMIT_TIMESTAMP = "commit_timestamp";

    private static final Goal NONE_LOST = Goal.below(1, "");

    /** A relay of Postrider is not delayed by a transaction of somebody else; the bound leaves room for a busy machine. */
    private static final Goal NO_STALL = Goal.below(500, "");

    /** One turn of one way. Times in milliseconds. */
    private record Turn(long committed, long lost, double p50, double p99, double openStall, double rollbackStall) {}

    /** A way with its own database. */
    private record Way(Reader reader, BenchDatabase database, HikariDataSource pool, MixedLoad load) {}

    @Override
    public String name() {
        return "readers";
    }

    @Override
    public String conditions(Scale scale) {
        return rate(scale)
                + " transactions/s from 16 clients, each with one event; one in ten stays open for 20 to 100 ms."
                + " lost, p50, p99: without other transactions. open: the longest delay of the others' events while one"
                + " transaction with an event stays open for "
                + Figure.plain(held(scale).toMillis() / 1000.0)
                + " s. rollback: the longest delay after a transaction with an event was rolled back."
                + " Polls every 5 ms; gap timeout " + Cursors.GAP_TIMEOUT.toMillis() + " ms, margin "
                + Cursors.MARGIN.toMillis() + " ms";
    }

    @Override
    public double shortUntil() {
        return 50;
    }

    private static int rate(Scale scale) {
        return scale.holdRate() / 2;
    }

    private static Duration held(Scale scale) {
        Duration most = Duration.ofSeconds(5);
        return scale.hold().compareTo(most) > 0 ? most : scale.hold();
    }

    @Override
    public List<Figure> run(BenchContext bench) throws Exception {
        List<Way> ways = new ArrayList<>();
        try {
            for (Reader reader : readers(bench)) {
                ways.add(install(bench, reader));
            }
            Map<String, Rounds.Measure<Turn>> variants = new LinkedHashMap<>();
            ways.forEach(way -> variants.put(way.reader().name(), () -> turn(bench, way)));
            Samples<Turn> samples = bench.rounds("readers", variants);
            return ways.stream()
                    .flatMap(way -> figures(way.reader().name(), samples).stream())
                    .toList();
        } finally {
            for (Way way : ways) {
                way.load().close();
                way.pool().close();
                bench.drop(way.database());
            }
        }
    }

    private static List<Reader> readers(BenchContext bench) throws SQLException {
        List<Reader> readers = new ArrayList<>(List.of(
                new PolledReader("cursor", new Cursors.Plain()),
                new PolledReader("contiguous", new Cursors.Contiguous()),
                new PolledReader("margin", new Cursors.Delayed()),
                new PolledReader(COMMIT_TIMESTAMP, new Cursors.CommitTimestamp()),
                new PolledReader("high_water_mark", new Cursors.HighWaterMark()),
                new PostriderReader()));
        if (!bench.server().setting("track_commit_timestamp").equals("on")) {
            bench.tell(COMMIT_TIMESTAMP + ": left out, because the server has track_commit_timestamp = off");
            readers.removeIf(reader -> reader.name().equals(COMMIT_TIMESTAMP));
        }
        return readers;
    }

    private static Way install(BenchContext bench, Reader reader) throws SQLException {
        BenchDatabase database = bench.server().create(reader.name());
        reader.install(database);
        HikariDataSource pool = database.pool("bench-producers", POOL, false);
        return new Way(reader, database, pool, new MixedLoad(pool, reader));
    }

    private static Turn turn(BenchContext bench, Way way) throws Exception {
        Scale scale = bench.scale();
        MixedLoad load = way.load();
        load.reset();
        analyze(way.database());
        bench.checkpoint();
        try (Reader.Reading reading = way.reader().start(way.database(), load::handle)) {
            load.awaitMarker(); // the reader runs before anything is measured
            Map<UUID, Long> normal = load.run(rate(scale), scale.latency());
            load.awaitMarker();
            MixedLoad.Held open = load.open();
            Map<UUID, Long> beside = load.run(rate(scale), held(scale));
            load.commit(open);
            load.awaitMarker();
            MixedLoad.rollBack(load.open());
            Map<UUID, Long> afterwards = load.run(rate(scale), held(scale));
            load.awaitMarker();
            Histogram latency = load.latency(normal);
            return new Turn(
                    load.committed(),
                    load.lost(),
                    latency.getValueAtPercentile(50) / 1e6,
                    latency.getValueAtPercentile(99) / 1e6,
                    load.latency(beside).getMaxValue() / 1e6,
                    load.latency(afterwards).getMaxValue() / 1e6);
        }
    }

    /** As autovacuum would have done meanwhile: a plan for an empty table is not what is compared. */
    private static void analyze(BenchDatabase database) throws SQLException {
        try (Connection connection = database.connect("bench-install")) {
            Statements.execute(connection, "analyze");
        }
    }

    private static List<Figure> figures(String way, Samples<Turn> samples) {
        boolean ours = way.equals("postrider");
        double lost = samples.of(way).stream().mapToLong(Turn::lost).max().orElse(0);
        double open = samples.median(way, Turn::openStall);
        String note = "the most of any round, of " + Figure.plain(samples.median(way, Turn::committed)) + " committed";
        return List.of(
                (ours ? Figure.of(way + ".lost", lost, "events", NONE_LOST) : Figure.of(way + ".lost", lost, "events"))
                        .withNote(note),
                Figure.of(way + ".p50", samples.median(way, Turn::p50), "ms"),
                Figure.of(way + ".p99", samples.median(way, Turn::p99), "ms"),
                ours ? Figure.of(way + ".open", open, "ms", NO_STALL) : Figure.of(way + ".open", open, "ms"),
                Figure.of(way + ".rollback", samples.median(way, Turn::rollbackStall), "ms"));
    }
}

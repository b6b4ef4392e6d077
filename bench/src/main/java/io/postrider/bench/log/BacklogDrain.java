package io.postrider.bench.log;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Listener;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.StartPoint;
import io.postrider.admin.Watch;
import io.postrider.bench.BenchContext;
import io.postrider.bench.Scale;
import io.postrider.bench.Scenario;
import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.database.Statements;
import io.postrider.bench.load.OutboxTable;
import io.postrider.bench.load.Payloads;
import io.postrider.bench.load.PostriderLog;
import io.postrider.bench.measure.BufferCounts;
import io.postrider.bench.measure.CpuUsage;
import io.postrider.bench.measure.Rounds;
import io.postrider.bench.measure.Samples;
import io.postrider.bench.measure.ServerCounters;
import io.postrider.bench.process.OutboxConsumer;
import io.postrider.bench.report.Figure;
import io.postrider.bench.report.Goal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** How fast listeners read a backlog. */
public final class BacklogDrain implements Scenario {
    private static final int BATCH = 1_000;
    private static final int MANY = 8;
    private static final Goal OF_SELECT = Goal.atLeast(0.4, "bare ordered select");
    private static final Goal OF_PGQ = Goal.atLeast(200_000, "");
    private static final Goal OF_ONE = Goal.atLeast(2, "one listener");
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    /** One round of one variant. */
    private record Turn(double rate, Map<String, Double> cores) {
        /** Microseconds of processor time per event, on both ends of the connection. */
        double cpu() {
            return CpuUsage.ours(cores) / rate * 1e6;
        }
    }

    private final AtomicInteger listeners = new AtomicInteger();

    @Override
    public String name() {
        return "drain";
    }

    @Override
    public String conditions(Scale scale) {
        return "a backlog of " + scale.backlog() + " events, batches of " + BATCH
                + ", the handler does nothing; delivery rows"
                + " and their commits included. select: the same rows in a bare table, SELECT … ORDER BY id with fetch size "
                + BATCH + " through the same driver in the same process, made into objects too, nothing written";
    }

    @Override
    public double shortUntil() {
        return 42;
    }

    @Override
    public List<Figure> run(BenchContext bench) throws Exception {
        BenchDatabase database = bench.server().create("drain");
        PostriderLog.install(database);
        bench.tell("drain: writing " + bench.scale().backlog() + " events");
        try (Connection connection = database.connect("bench-install")) {
            PostriderLog.fill(connection, bench.scale().backlog(), bench);
            copyToOutbox(connection);
            Statements.execute(connection, "vacuum (analyze)");
        }
        bench.checkpoint();
        Map<String, Rounds.Measure<Turn>> variants = new LinkedHashMap<>();
        long events = bench.scale().backlog();
        variants.put("select", () -> select(new CpuUsage(bench, database), database, events));
        variants.put("one", () -> drain(new CpuUsage(bench, database), database, 1, events));
        variants.put("eight", () -> drain(new CpuUsage(bench, database), database, MANY, events));
        Samples<Turn> samples = bench.rounds("drain", variants);
        List<Figure> figures = new ArrayList<>(figures(samples));
        if (bench.server().isLocal()) {
            for (String variant : List.of("one", "eight", "select")) {
                figures.add(Figure.of("drain." + variant + ".cpu", samples.median(variant, Turn::cpu), "us/event"));
            }
        }
        figures.addAll(counted(bench, database));
        bench.drop(database);
        return figures;
    }

    private static List<Figure> figures(Samples<Turn> samples) {
        double one = samples.median("one", Turn::rate);
        return List.of(
                Figure.of("drain.one", one, "events/s", samples.ratio("one", "select", Turn::rate), OF_SELECT)
                        .withNote(cores(samples, "one")),
                Figure.of("drain.one_vs_pgq", one, "events/s", OF_PGQ)
                        .withNote("an aim: PgQ's one consumer on two cores"),
                Figure.of(
                                "drain.eight",
                                samples.median("eight", Turn::rate),
                                "events/s",
                                samples.ratio("eight", "one", Turn::rate),
                                OF_ONE)
                        .withNote(cores(samples, "eight")),
                Figure.of("drain.select", samples.median("select", Turn::rate), "events/s"));
    }

    private static String cores(Samples<Turn> samples, String variant) {
        return CpuUsage.text(samples.last(variant).cores());
    }

    private List<Figure> counted(BenchContext bench, BenchDatabase database) throws Exception {
        int events = bench.scale().backlog();
        ServerCounters before = ServerCounters.read(database, PostriderLog.SCHEMA);
        drain(new CpuUsage(bench, database), database, 1, events);
        List<Figure> figures = new ArrayList<>(
                ServerCounters.read(database, PostriderLog.SCHEMA).since(before).perOne("drain.one", "event", events));
        try (Connection connection = database.connect("bench-look")) {
            figures.add(Figure.of(
                    "drain.read_buffers",
                    (double) BufferCounts.of(connection, RetentionCost.read(events / 2, BATCH, 0, Long.MAX_VALUE)),
                    "pages/read of " + BATCH));
        }
        return figures;
    }

    private static void copyToOutbox(Connection connection) throws SQLException {
        OutboxTable.create(connection);
        Statements.execute(connection, """
                insert into outbox (event_id, topic, type, key, payload, created_at)
                select e.event_id, e.topic, e.type, e.key, e.payload, e.created_at
                from postrider.log l join postrider.event e on e.tx = l.tx and e.id = l.id
                order by l.position""");
    }

    private static Turn select(CpuUsage cpu, BenchDatabase database, long events) throws SQLException {
        try (Connection connection = database.connect("bench-reader")) {
            connection.setAutoCommit(false);
            CpuUsage.Reading before = cpu.read();
            long began = System.nanoTime();
            long read = 0;
            try (Statement select = connection.createStatement()) {
                select.setFetchSize(BATCH);
                try (ResultSet rows = select.executeQuery(
                        "select id, event_id, topic, type, key, payload, created_at from outbox order by id")) {
                    while (rows.next()) {
                        read += OutboxConsumer.Row.read(rows).id() > 0 ? 1 : 0;
                    }
                }
            }
            connection.commit();
            if (read != events) {
                throw new IllegalStateException("the select gave " + read + " of " + events + " events");
            }
            double rate = read / ((System.nanoTime() - began) / 1e9);
            return new Turn(rate, cpu.read().cores(before));
        }
    }

    /** New listeners from the beginning, all at once; timed from the first batch delivered to the last row. */
    private Turn drain(CpuUsage cpu, BenchDatabase database, int count, long events) throws Exception {
        Progress progress = new Progress(events, count);
        try (HikariDataSource pool = database.pool("bench-node", count + 3, true);
                Postrider node =
                        Postrider.on(pool, Options.defaults().withNode("bench").withWatch(progress))) {
            for (int i = 0; i < count; i++) {
                node.add(Listener.relayBatch(
                                "drain-" + listeners.incrementAndGet(),
                                Payloads.TOPIC,
                                batch -> progress.begin(batch.size()))
                        .withBatch(BATCH)
                        .withStart(StartPoint.beginning()));
            }
            CpuUsage.Reading before = cpu.read();
            node.start();
            double rate = progress.await();
            return new Turn(rate, cpu.read().cores(before));
        }
    }

    /** When it began and when every listener had reached the end. */
    private static final class Progress implements Watch {
        private final long events;
        private final AtomicLong began = new AtomicLong();
        private final AtomicLong handled = new AtomicLong();
        private final CountDownLatch finished;
        private final int count;

        Progress(long events, int count) {
            this.events = events;
            this.count = count;
            this.finished = new CountDownLatch(count);
        }

        void begin(int batch) {
            began.compareAndSet(0, System.nanoTime());
            handled.addAndGet(batch);
        }

        @Override
        public void delivered(
                String listener, String topic, long fromPosition, long toPosition, int batch, Duration took) {
            if (toPosition == events) {
                finished.countDown();
            }
        }

        double await() throws InterruptedException {
            if (!finished.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("the backlog was not drained: " + handled.get() + " events handled");
            }
            return events * count / ((System.nanoTime() - began.get()) / 1e9);
        }
    }
}

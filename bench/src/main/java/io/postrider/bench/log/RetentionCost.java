package io.postrider.bench.log;

import io.postrider.bench.BenchContext;
import io.postrider.bench.Scale;
import io.postrider.bench.Scenario;
import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.database.Statements;
import io.postrider.bench.load.Payloads;
import io.postrider.bench.load.PostriderLog;
import io.postrider.bench.measure.BufferCounts;
import io.postrider.bench.measure.Rounds;
import io.postrider.bench.measure.Samples;
import io.postrider.bench.report.Figure;
import io.postrider.bench.report.Goal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Whether passes and reads cost more when more is retained. */
public final class RetentionCost implements Scenario {
    private static final Goal FLAT = Goal.atMost(1.2, "the smaller log");

    /** The operation that is timed. */
    private enum Work {
        PASS_1,
        PASS_100,
        READ_1_HEAD,
        READ_100_HEAD,
        READ_1_MIDDLE,
        READ_100_MIDDLE;

        int events() {
            return name().contains("100") ? 100 : 1;
        }

        boolean isPass() {
            return name().startsWith("PASS");
        }

        boolean atHead() {
            return name().endsWith("HEAD");
        }
    }

    /** One log and its sessions, whose plans are cached as in a long-running node. */
    private record Retained(long events, Connection producer, Connection sequencer, Connection reader)
            implements AutoCloseable {
        static Retained open(BenchDatabase database, long events) throws SQLException {
            return new Retained(
                    events,
                    database.connect("bench-producers"),
                    database.connect("bench-node"),
                    database.connect("bench-node"));
        }

        @Override
        public void close() throws SQLException {
            producer.close();
            sequencer.close();
            reader.close();
        }
    }

    @Override
    public String name() {
        return "flat";
    }

    @Override
    public String conditions(Scale scale) {
        return "median times of passes and reads with " + scale.retainedMany() + " events retained, against those with "
                + scale.retainedFew()
                + "; segments of 4 million. A pass is timed without its commit, whose flush would hide"
                + " the rest; a read at the head is given the last pass's range of ids, one in the middle none, as a"
                + " listener does";
    }

    @Override
    public double shortUntil() {
        return 52;
    }

    @Override
    public List<Figure> run(BenchContext bench) throws Exception {
        BenchDatabase few = fill(bench, "few", bench.scale().retainedFew());
        BenchDatabase many = fill(bench, "many", bench.scale().retainedMany());
        bench.checkpoint();
        List<Figure> figures = new ArrayList<>();
        try (Retained small = Retained.open(few, bench.scale().retainedFew());
                Retained large = Retained.open(many, bench.scale().retainedMany())) {
            Map<String, Rounds.Measure<Map<Work, Double>>> variants = new LinkedHashMap<>();
            variants.put("few", () -> turn(bench, small));
            variants.put("many", () -> turn(bench, large));
            Samples<Map<Work, Double>> samples = bench.rounds("flat", variants);
            for (Work work : Work.values()) {
                figures.add(Figure.of(
                        "flat." + lower(work),
                        samples.median("many", times -> micros(times, work)),
                        "us",
                        samples.ratio("many", "few", times -> micros(times, work)),
                        FLAT));
            }
            figures.addAll(buffers("few", small));
            figures.addAll(buffers("many", large));
        }
        bench.drop(few);
        bench.drop(many);
        return figures;
    }

    private static BenchDatabase fill(BenchContext bench, String name, long events) throws SQLException {
        BenchDatabase database = bench.server().create(name);
        PostriderLog.install(database);
        bench.tell("flat: writing " + events + " events");
        try (Connection connection = database.connect("bench-install")) {
            PostriderLog.fill(connection, events, bench);
            Statements.execute(connection, "vacuum (analyze)"); // or autovacuum would run in the middle of a round
        }
        return database;
    }

    private static Map<Work, Double> turn(BenchContext bench, Retained log) throws SQLException {
        Map<Work, Double> medians = new EnumMap<>(Work.class);
        for (Work work : Work.values()) {
            double[] micros = new double[bench.scale().looks()];
            for (int i = 0; i < micros.length; i++) {
                micros[i] = (work.isPass() ? pass(log, work) : readOnce(log, work, i)) / 1e3;
            }
            medians.put(work, Samples.median(micros));
        }
        return medians;
    }

    private static long pass(Retained log, Work work) throws SQLException {
        try (PreparedStatement insert = log.producer()
                .prepareStatement(
                        "insert into postrider.event (topic, type, key, payload) select ?, ?, 'customer-' || g % 1000, "
                                + Payloads.SQL + " from generate_series(1, ?) g")) {
            insert.setString(1, Payloads.TOPIC);
            insert.setString(2, Payloads.TYPE);
            insert.setInt(3, work.events());
            insert.executeUpdate();
        }
        log.sequencer().setAutoCommit(false);
        try (PreparedStatement pass = log.sequencer().prepareStatement(PostriderLog.SEQUENCE)) {
            Statements.number(log.sequencer(), "select 1"); // so that BEGIN is not included
            long began = System.nanoTime();
            long events = 0;
            try (ResultSet rows = pass.executeQuery()) {
                events = rows.next() ? rows.getLong("events") : 0;
            }
            long took = System.nanoTime() - began;
            log.sequencer().commit();
            if (events != work.events()) {
                throw new IllegalStateException("a pass placed " + events + " of " + work.events() + " events");
            }
            return took;
        }
    }

    private static long readOnce(Retained log, Work work, int look) throws SQLException {
        Place place = place(log, work, look);
        try (PreparedStatement read =
                log.reader().prepareStatement("select * from postrider.read(?, ?, ?, ?, 8388608, null, ?, ?)")) {
            read.setString(1, Payloads.TOPIC);
            read.setLong(2, place.after());
            read.setLong(3, place.after() + work.events());
            read.setInt(4, work.events());
            read.setLong(5, place.lowId());
            read.setLong(6, place.highId());
            long began = System.nanoTime();
            int events = 0;
            try (ResultSet rows = read.executeQuery()) {
                while (rows.next()) {
                    events++;
                }
            }
            long took = System.nanoTime() - began;
            if (events != work.events()) {
                throw new IllegalStateException("a read gave " + events + " of " + work.events() + " events");
            }
            return took;
        }
    }

    private record Place(long after, long lowId, long highId) {}

    /** At the head: the last positions, within the ids of the last passes. In the middle: a different place each time. */
    private static Place place(Retained log, Work work, int look) throws SQLException {
        if (!work.atHead()) {
            return new Place(log.events() / 2 + look * 200L, 0, Long.MAX_VALUE);
        }
        try (PreparedStatement head = log.reader()
                .prepareStatement(
                        "select (select h.position from postrider.head h where h.topic = ? order by h.position desc limit 1),"
                                + " min(p.low_id), max(p.high_id) from"
                                + " (select * from postrider.pass p order by p.n desc limit 64) p where p.events > 0")) {
            head.setString(1, Payloads.TOPIC);
            try (ResultSet row = head.executeQuery()) {
                row.next();
                return new Place(row.getLong(1) - work.events(), row.getLong(2), row.getLong(3));
            }
        }
    }

    /** The statement of one read, for explain. */
    public static String read(long after, int events, long lowId, long highId) {
        return "select * from postrider.read('" + Payloads.TOPIC + "', " + after + ", " + (after + events) + ", "
                + events + ", 8388608, null, " + lowId + ", " + highId + ")";
    }

    private static List<Figure> buffers(String name, Retained log) throws SQLException {
        List<Figure> figures = new ArrayList<>();
        for (Work work : Work.values()) {
            if (!work.isPass()) {
                Place place = place(log, work, 0);
                long pages = BufferCounts.of(
                        log.reader(), read(place.after(), work.events(), place.lowId(), place.highId()));
                figures.add(Figure.of("flat." + name + "." + lower(work) + ".buffers", (double) pages, "pages"));
            }
        }
        for (int events : new int[] {1, 100}) {
            figures.addAll(pass("flat." + name + ".pass_" + events, log, events));
        }
        return figures;
    }

    /** One more pass, to count the pages it reads and writes. */
    private static List<Figure> pass(String prefix, Retained log, int events) throws SQLException {
        Statements.execute(
                log.producer(),
                "insert into postrider.event (topic, type, payload) select '" + Payloads.TOPIC + "', '" + Payloads.TYPE
                        + "', '{}' from generate_series(1, " + events + ")");
        log.sequencer().setAutoCommit(true);
        String wal = "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')";
        long before = Statements.number(log.reader(), wal);
        long pages = BufferCounts.ofNext(log.sequencer(), PostriderLog.SEQUENCE);
        long written = Statements.number(log.reader(), wal) - before;
        return List.of(
                Figure.of(prefix + ".buffers", (double) pages, "pages"),
                Figure.of(prefix + ".wal", (double) written, "bytes"));
    }

    private static double micros(Map<Work, Double> times, Work work) {
        Double micros = times.get(work);
        if (micros == null) {
            throw new IllegalStateException("nothing measured for " + work);
        }
        return micros;
    }

    private static String lower(Work work) {
        return work.name().toLowerCase(Locale.ROOT);
    }
}

package io.postrider.bench.realtime;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Listener;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.StartPoint;
import io.postrider.bench.BenchContext;
import io.postrider.bench.Scale;
import io.postrider.bench.Scenario;
import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.load.Payloads;
import io.postrider.bench.load.PostriderLog;
import io.postrider.bench.measure.CpuUsage;
import io.postrider.bench.measure.Rounds;
import io.postrider.bench.measure.Samples;
import io.postrider.bench.measure.ServerCounters;
import io.postrider.bench.report.Figure;
import io.postrider.bench.report.Goal;
import io.postrider.kafka.KafkaOptions;
import io.postrider.kafka.KafkaSink;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How fast a relay sends a backlog to Kafka. */
final class KafkaRelay implements Scenario {
    private static final int BATCH = 1_000;
    private static final Goal OF_BARE = Goal.atLeast(0.5, "bare producer");

    /** One round of one variant. Send and rest are 0 for bare producers. */
    private record Turn(double rate, Map<String, Double> cores, double send, double rest) {
        /** Microseconds of processor time per event, including the broker's. */
        double cpu() {
            return CpuUsage.ours(cores) / rate * 1e6;
        }
    }

    private int relays;

    @Override
    public String name() {
        return "kafka_relay";
    }

    @Override
    public String conditions(Scale scale) {
        return "a backlog of " + scale.realtime().relayed()
                + " events of about 200 bytes in the log, one relay, batches of "
                + BATCH
                + ", delivery rows and their commits included, to a topic of 3 partitions on one broker of Kafka"
                + " in a process of its own; from the first send to the last row. bare: an idempotent producer, acks=all and"
                + " else Kafka's defaults, that sends the same records (key, value, headers), made beforehand, as fast as"
                + " it can and waits only at the end; large: with the relay's batch.size of 128 KiB";
    }

    @Override
    public double shortUntil() {
        return 58;
    }

    @Override
    public List<Figure> run(BenchContext bench) throws Exception {
        int events = bench.scale().realtime().relayed();
        BenchDatabase database = bench.server().create("kafka_relay");
        PostriderLog.install(database);
        bench.tell("kafka_relay: writing " + events + " events, starting a broker");
        try (Connection connection = database.connect("bench-install");
                Statement vacuum = connection.createStatement()) {
            PostriderLog.fill(connection, events, bench);
            vacuum.execute("vacuum (analyze)");
        }
        bench.checkpoint();
        try (Broker broker = Broker.start()) {
            List<Figure> figures = new ArrayList<>(compare(bench, database, broker, events));
            ServerCounters before = ServerCounters.read(database, PostriderLog.SCHEMA);
            relay(bench, database, broker, events);
            figures.addAll(ServerCounters.read(database, PostriderLog.SCHEMA)
                    .since(before)
                    .costs("kafka_relay", "event", events));
            return figures;
        } finally {
            bench.drop(database);
        }
    }

    private List<Figure> compare(BenchContext bench, BenchDatabase database, Broker broker, int events)
            throws Exception {
        Map<String, Rounds.Measure<Turn>> variants = new LinkedHashMap<>();
        try (BareProducer bare = BareProducer.open(broker, database, "bare", Map.of(), events);
                BareProducer large = bare.with("large", Map.of("batch.size", 128 << 10))) {
            variants.put("bare", () -> send(bench, database, broker, bare));
            variants.put("large", () -> send(bench, database, broker, large));
            variants.put("relay", () -> relay(bench, database, broker, events));
            return figures(bench, bench.rounds("kafka_relay", variants));
        }
    }

    private static List<Figure> figures(BenchContext bench, Samples<Turn> samples) {
        double rate = samples.median("relay", Turn::rate);
        List<Figure> figures = new ArrayList<>();
        figures.add(Figure.of("kafka_relay.rate", rate, "events/s", samples.ratio("relay", "bare", Turn::rate), OF_BARE)
                .withNote(CpuUsage.text(samples.last("relay").cores())));
        figures.add(Figure.of("kafka_relay.rate_vs_large", samples.ratio("relay", "large", Turn::rate), "of large")
                .withNote("a bare producer with batches as large as the relay's"));
        figures.add(Figure.of("kafka_relay.send", samples.median("relay", Turn::send), "ms/batch")
                .withNote("in the sink, until the broker has all of the batch"));
        figures.add(Figure.of("kafka_relay.rest", samples.median("relay", Turn::rest), "ms/batch")
                .withNote("reading the batch, and writing down that it was delivered"));
        for (String variant : List.of("bare", "large")) {
            figures.add(Figure.of("kafka_relay." + variant, samples.median(variant, Turn::rate), "events/s")
                    .withNote(CpuUsage.text(samples.last(variant).cores())));
        }
        if (bench.server().isLocal()) {
            for (String variant : List.of("relay", "bare", "large")) {
                figures.add(
                        Figure.of("kafka_relay." + variant + ".cpu", samples.median(variant, Turn::cpu), "us/event"));
            }
        }
        return figures;
    }

    private static Turn send(BenchContext bench, BenchDatabase database, Broker broker, BareProducer producer)
            throws Exception {
        CpuUsage cpu = new CpuUsage(bench, database).with("broker JVM", broker.process());
        CpuUsage.Reading before = cpu.read();
        double rate = producer.send();
        return new Turn(rate, cpu.read().cores(before), 0, 0);
    }

    /** A new relay from the beginning, to a new topic. */
    private Turn relay(BenchContext bench, BenchDatabase database, Broker broker, int events) throws Exception {
        String name = "bench-" + ++relays;
        broker.create(name);
        CpuUsage cpu = new CpuUsage(bench, database).with("broker JVM", broker.process());
        RelayProgress progress = new RelayProgress(events);
        try (HikariDataSource pool = database.pool("bench-node", 4, true);
                KafkaSink sink = KafkaSink.to(name, KafkaOptions.at(broker.servers()));
                Postrider node =
                        Postrider.on(pool, Options.defaults().withNode("bench").withWatch(progress))) {
            node.add(Listener.relay(name, Payloads.TOPIC, progress.watching(sink))
                    .withBatch(BATCH)
                    .withStart(StartPoint.beginning()));
            node.start();
            progress.awaitBegun();
            CpuUsage.Reading before = cpu.read();
            double rate = progress.await();
            Map<String, Double> cores = cpu.read().cores(before);
            return new Turn(rate, cores, progress.sendMillis(), progress.restMillis());
        } finally {
            broker.delete(name);
        }
    }
}

package io.postrider.bench.realtime;

import io.postrider.bench.process.ChildProcess;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/** Kafka's own server, one node, in a separate process. Its data is deleted with it. */
final class Broker implements AutoCloseable {
    private static final int PARTITIONS = 3;
    private static final long START_SECONDS = 90;

    private final Opened opened;
    private final ChildProcess process;
    private final String servers;
    private final Admin admin;

    private Broker(Opened opened) throws Exception {
        this.opened = opened;
        Scratch scratch = opened.keep(Scratch.create("kafka"));
        int port = Scratch.freePort();
        Path settings = scratch.directory().resolve("server.properties");
        Path data = scratch.directory().resolve("data");
        try (var file = Files.newBufferedWriter(settings)) {
            properties(data, port, Scratch.freePort()).store(file, null);
        }
        format(data);
        this.servers = "127.0.0.1:" + port;
        this.process = opened.keep(ChildProcess.start(BrokerMain.class, "1g", List.of(settings.toString()), List.of()));
        process.ask("start");
        this.admin = opened.keep(Admin.create(Map.of("bootstrap.servers", servers, "reconnect.backoff.max.ms", 200)));
        admin.describeCluster().controller().get(START_SECONDS, TimeUnit.SECONDS);
    }

    static Broker start() throws Exception {
        Opened opened = new Opened();
        try {
            return new Broker(opened);
        } catch (Exception e) {
            opened.close();
            throw e;
        }
    }

    String servers() {
        return servers;
    }

    ChildProcess process() {
        return process;
    }

    /** Creates a topic with a few partitions. */
    void create(String topic) throws Exception {
        admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)))
                .all()
                .get(START_SECONDS, TimeUnit.SECONDS);
    }

    void delete(String topic) throws Exception {
        admin.deleteTopics(List.of(topic)).all().get(START_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        opened.close();
    }

    private static Properties properties(Path data, int port, int controller) {
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "process.roles", "broker,controller",
                "node.id", "1",
                "controller.quorum.voters", "1@127.0.0.1:" + controller,
                "controller.listener.names", "CONTROLLER",
                "inter.broker.listener.name", "PLAIN",
                "listener.security.protocol.map", "PLAIN:PLAINTEXT,CONTROLLER:PLAINTEXT",
                "listeners", "PLAIN://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d".formatted(port, controller),
                "log.dirs", data.toString(),
                "auto.create.topics.enable", "false",
                "log.cleaner.dedupe.buffer.size", "4194304"));
        properties.putAll(Map.of(
                "offsets.topic.replication.factor", "1",
                "transaction.state.log.replication.factor", "1",
                "transaction.state.log.min.isr", "1"));
        return properties;
    }

    private static void format(Path data) throws Exception {
        new Formatter()
                .setClusterId(Uuid.randomUuid().toString())
                .setNodeId(1)
                .setDirectories(List.of(data.toString()))
                .setMetadataLogDirectory(data.toString())
                .setControllerListenerName("CONTROLLER")
                .setReleaseVersion(MetadataVersion.latestProduction())
                .setPrintStream(new PrintStream(PrintStream.nullOutputStream()))
                .run();
    }
}

package io.postrider.kafka;

import io.postrider.testkit.Await;
import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.Ports;
import io.postrider.testkit.TcpProxy;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import kafka.Kafka;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * Kafka's own server in a process of its own, with a directory and ports that stay the same: it can be killed, frozen and
 * started again, and finds what it had. It listens at two ports: plainly, and for those who log in, behind a network
 * that breaks on request.
 */
final class Broker implements AutoCloseable {
    static final Duration STARTED = Duration.ofSeconds(90);
    static final String USER = "rider";

    /** With the signs that a quotation can fall over. */
    static final String PASSWORD = "a\"b\\c;' " + UUID.randomUUID();

    private static Broker shared;

    private final Path home;
    private final int port = Ports.free();
    private final TcpProxy proxy;
    private ChildJvm.Launch launch;
    private ChildJvm process;

    private Broker() {
        try {
            home = Files.createTempDirectory("postrider-kafka-");
            int behindProxy = Ports.free();
            proxy = TcpProxy.to(behindProxy);
            Properties properties = properties(behindProxy, Ports.free());
            try (var file = Files.newBufferedWriter(home.resolve("server.properties"))) {
                properties.store(file, null);
            }
            format();
            launch = ChildJvm.of(Kafka.class)
                    .withHeap("400m")
                    .withProperty("org.slf4j.simpleLogger.defaultLogLevel", "error")
                    .withProperty("org.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer", "info")
                    .withProperty("org.slf4j.simpleLogger.logFile", "System.out")
                    .withArguments(home.resolve("server.properties").toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The one for tests that do not break it; it ends with this JVM. */
    static synchronized Broker shared() {
        if (shared == null) {
            shared = started();
            Runtime.getRuntime().addShutdownHook(new Thread(shared::close));
        }
        return shared;
    }

    static Broker started() {
        return started(new Broker());
    }

    /** One that is made for many starts: each takes half of the time. */
    static Broker startedOfMany() {
        Broker broker = new Broker();
        broker.launch = broker.launch.trained("Kafka Server started");
        return started(broker);
    }

    private static Broker started(Broker broker) {
        broker.start();
        broker.awaitReady();
        return broker;
    }

    /** Begins to start; {@link #awaitReady} waits for it. */
    void start() {
        process = launch.start();
    }

    void awaitReady() {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers(), "reconnect.backoff.max.ms", 100))) {
            Await.until("a broker at " + servers(), STARTED, () -> {
                if (!process.isAlive()) {
                    throw new IllegalStateException("it has ended: " + process.lines() + process.errors());
                }
                return admin.describeCluster().controller().get() != null;
            });
        }
    }

    /** SIGKILL: what is in its memory is gone, what it had written is there. */
    void kill9() {
        process.kill9();
    }

    /** SIGTERM: it takes leave in order. */
    void stop() {
        ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroy);
        process.awaitExit(Duration.ofSeconds(60));
    }

    void freeze() {
        process.freeze();
    }

    void resume() {
        process.resume();
    }

    String servers() {
        return "127.0.0.1:" + port;
    }

    /** At the plain port. */
    KafkaOptions options() {
        return KafkaOptions.at(servers()).withDeliveryTimeout(Duration.ofSeconds(15));
    }

    /** At the port behind the proxy; no login yet. */
    KafkaOptions optionsBehindProxy() {
        return KafkaOptions.at("127.0.0.1:" + proxy.port()).withProtocol("SASL_PLAINTEXT");
    }

    TcpProxy proxy() {
        return proxy;
    }

    /** Makes a topic of a name that no other test has, and gives the name. */
    String topic(String name, int partitions, Map<String, String> configs) {
        String unique = name + "-" + UUID.randomUUID();
        try (Admin admin = admin()) {
            admin.createTopics(List.of(new NewTopic(unique, partitions, (short) 1).configs(configs)))
                    .all()
                    .get();
        } catch (Exception e) {
            throw new IllegalStateException("cannot make topic " + unique, e);
        }
        return unique;
    }

    String topic(String name, int partitions) {
        return topic(name, partitions, Map.of());
    }

    Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", servers()));
    }

    @Override
    public void close() {
        process.close();
        proxy.close();
        try {
            Utils.delete(home.toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Properties properties(int behindProxy, int controller) {
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "process.roles", "broker,controller",
                "node.id", "1",
                "controller.quorum.voters", "1@127.0.0.1:" + controller,
                "controller.listener.names", "CONTROLLER",
                "inter.broker.listener.name", "PLAIN",
                "listener.security.protocol.map", "PLAIN:PLAINTEXT,PROXY:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT",
                "listeners",
                        "PLAIN://127.0.0.1:%d,PROXY://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d"
                                .formatted(port, behindProxy, controller),
                "advertised.listeners", "PLAIN://127.0.0.1:%d,PROXY://127.0.0.1:%d".formatted(port, proxy.port())));
        String quoted = PASSWORD.replace("\\", "\\\\").replace("\"", "\\\"");
        properties.putAll(Map.of(
                "log.dirs", home.resolve("data").toString(),
                "auto.create.topics.enable", "false",
                "offsets.topic.replication.factor", "1",
                "transaction.state.log.replication.factor", "1",
                "transaction.state.log.min.isr", "1",
                "sasl.enabled.mechanisms", "PLAIN",
                "listener.name.proxy.plain.sasl.jaas.config",
                        "org.apache.kafka.common.security.plain.PlainLoginModule required user_" + USER + "=\"" + quoted
                                + "\";"));
        // After a kill the controller believes the broker alive for so long, and does not let its successor in.
        properties.put("broker.session.timeout.ms", "2000");
        properties.put("broker.heartbeat.interval.ms", "300");
        properties.put("log.cleaner.dedupe.buffer.size", "4194304");
        // Events of tests are dated months ago; by default the broker deletes them 30 s after its start.
        properties.put("log.retention.ms", "-1");
        return properties;
    }

    private void format() {
        try {
            new Formatter()
                    .setClusterId(Uuid.randomUuid().toString())
                    .setNodeId(1)
                    .setDirectories(List.of(home.resolve("data").toString()))
                    .setMetadataLogDirectory(home.resolve("data").toString())
                    .setControllerListenerName("CONTROLLER")
                    .setReleaseVersion(MetadataVersion.latestProduction())
                    .setPrintStream(new PrintStream(PrintStream.nullOutputStream()))
                    .run();
        } catch (Exception e) {
            throw new IllegalStateException("cannot format " + home, e);
        }
    }
}

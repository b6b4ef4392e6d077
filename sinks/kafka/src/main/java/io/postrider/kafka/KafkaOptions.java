package io.postrider.kafka;

import io.postrider.MessageFormat;
import io.postrider.PostriderException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.SslConfigs;
import org.jspecify.annotations.Nullable;

/**
 * The brokers and how to connect to them. Immutable: each {@code with…} returns a changed copy. An invalid value is refused, and
 * the error names the option. Everything except the login can also be set as a Kafka property if {@link ClientProperty} allows it;
 * properties that name a file, an address or a class are not allowed. {@link #toString} never contains a password or a key.
 */
public final class KafkaOptions {
    private static final Pattern SERVER = Pattern.compile("([A-Za-z0-9._-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}]):[0-9]{1,5}");
    private static final Duration SHORTEST = Duration.ofSeconds(3);
    private static final Duration LONGEST = Duration.ofMinutes(10);

    /** Two clients with the same name in one process conflict over their metrics, with a warning each time. */
    private static final AtomicInteger UNNAMED = new AtomicInteger();

    private final String servers;
    private final Map<String, String> given;
    private final @Nullable Login login;
    private final MessageFormat format;

    private KafkaOptions(String servers, Map<String, String> given, @Nullable Login login, MessageFormat format) {
        this.servers = servers;
        this.given = given;
        this.login = login;
        this.format = format;
    }

    /** The bootstrap brokers as {@code host:port}, separated by commas. */
    public static KafkaOptions at(String bootstrapServers) {
        for (String server : bootstrapServers.split(",", -1)) {
            if (!SERVER.matcher(server).matches()) {
                throw PostriderException.refused(
                        "bootstrap servers must be host:port, with commas between, was '" + shortened(server) + "'");
            }
        }
        return new KafkaOptions(bootstrapServers, Map.of(), null, MessageFormat.CLOUD_EVENTS);
    }

    /** The client id, which brokers use for quotas and logs. Default: postrider and a number. */
    public KafkaOptions withClientId(String name) {
        return withProperty(CommonClientConfigs.CLIENT_ID_CONFIG, name);
    }

    /** The linger time in which records wait to be batched, 0..1 s. A full batch never waits. Default 5 ms. */
    public KafkaOptions withLinger(Duration time) {
        return withProperty(ProducerConfig.LINGER_MS_CONFIG, Long.toString(time.toMillis()));
    }

    /** The maximum batch size per partition in bytes, 1 KiB..16 MiB. Default 128 KiB. */
    public KafkaOptions withBatchSize(int bytes) {
        return withProperty(ProducerConfig.BATCH_SIZE_CONFIG, Integer.toString(bytes));
    }

    /** The maximum record size including headers, 1 KiB..64 MiB; brokers and topics have their own limits. Default 1 MiB. */
    public KafkaOptions withRecordCap(int bytes) {
        return withProperty(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, Integer.toString(bytes));
    }

    /** {@code none}, {@code gzip}, {@code snappy}, {@code lz4} or {@code zstd}. Default none. */
    public KafkaOptions withCompression(String type) {
        return withProperty(ProducerConfig.COMPRESSION_TYPE_CONFIG, type);
    }

    /**
     * How long the client itself retries a record before the sink counts as unavailable, 3 s..10 min. During these retries the
     * brokers can detect duplicates, so it should be longer than a broker takes to restart. Default 30 s.
     */
    public KafkaOptions withDeliveryTimeout(Duration time) {
        if (time.compareTo(SHORTEST) < 0 || time.compareTo(LONGEST) > 0) {
            throw PostriderException.refused("delivery timeout must be " + SHORTEST.toMillis() + ".."
                    + LONGEST.toMillis() + " ms, was " + time.toMillis() + " ms");
        }
        return withProperty(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Long.toString(time.toMillis()));
    }

    /** {@code PLAINTEXT}, {@code SSL}, {@code SASL_SSL} or {@code SASL_PLAINTEXT}. Default PLAINTEXT; with a login SASL_SSL. */
    public KafkaOptions withProtocol(String protocol) {
        return withProperty(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, protocol);
    }

    /** The CA certificates that must have signed the brokers' certificates, as PEM text. Default: the JVM's trust store. */
    public KafkaOptions withTrusted(String certificates) {
        return withProperty(SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG, certificates);
    }

    /** The client certificate and its private key (PKCS 8), as PEM text. */
    public KafkaOptions withIdentity(String certificateChain, String privateKey) {
        return withProperty(SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG, certificateChain)
                .withProperty(SslConfigs.SSL_KEYSTORE_KEY_CONFIG, privateKey);
    }

    /**
     * The login, which can be set in code only. The mechanism is {@code PLAIN}, {@code SCRAM-SHA-256} or {@code SCRAM-SHA-512}.
     */
    public KafkaOptions withLogin(String mechanism, String user, String password) {
        return new KafkaOptions(servers, given, Login.of(mechanism, user, password), format);
    }

    /**
     * The format of the records. CloudEvents in binary mode is the default: the value is the payload, with a {@code ce_} header for each
     * attribute. The payload formats have the headers {@code event_id} and {@code event_type} instead, and {@code payload-with-id} also
     * writes the id into the value. Every format has the three {@code postrider_} headers, by which the sink finds its own records.
     */
    public KafkaOptions withFormat(MessageFormat newFormat) {
        if (newFormat == null) {
            throw PostriderException.refused("format must be given, was null");
        }
        return new KafkaOptions(servers, given, login, newFormat);
    }

    /** Properties under Kafka's own names, as in a configuration file. An unknown property is refused, and the error names it. */
    public KafkaOptions withProperties(Map<String, String> properties) {
        KafkaOptions changed = this;
        for (Map.Entry<String, String> property : properties.entrySet()) {
            changed = changed.withProperty(property.getKey(), property.getValue());
        }
        return changed;
    }

    private KafkaOptions withProperty(String name, String value) {
        Map<String, String> more = new TreeMap<>(given);
        more.put(name, ClientProperty.checked(name, value));
        return new KafkaOptions(servers, more, login, format);
    }

    /** A copy with a protocol that fits the login and a client id. Combinations that cannot work are refused here. */
    KafkaOptions completed() {
        String protocol = given.getOrDefault(
                CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, login == null ? "PLAINTEXT" : "SASL_SSL");
        if (protocol.startsWith("SASL") != (login != null)) {
            throw PostriderException.refused("security.protocol " + protocol
                    + (login == null
                            ? " needs a login: give one by withLogin"
                            : " does not fit a login: use SASL_SSL"));
        }
        String name =
                given.getOrDefault(CommonClientConfigs.CLIENT_ID_CONFIG, "postrider-" + UNNAMED.incrementAndGet());
        return withProtocol(protocol).withClientId(name);
    }

    String servers() {
        return servers;
    }

    MessageFormat format() {
        return format;
    }

    Duration deliveryTimeout() {
        return Duration.ofMillis(
                Long.parseLong(given.getOrDefault(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "30000")));
    }

    /** The timeout for one response, including the first one of the brokers: three fit into the delivery timeout. */
    Duration answerTimeout() {
        return deliveryTimeout().dividedBy(3);
    }

    Map<String, Object> producer() {
        Map<String, Object> all = client();
        long answer = answerTimeout().toMillis();
        all.put(ProducerConfig.ACKS_CONFIG, "all");
        all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        // With two in flight, a new producer's second batch can overtake its first: a broker accepts any sequence
        // number from a producer that it does not know yet, and the first may have met a leader that was not ready.
        // Batches are large instead.
        all.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
        all.put(ProducerConfig.LINGER_MS_CONFIG, 5);
        all.put(ProducerConfig.BATCH_SIZE_CONFIG, 128 << 10);
        all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int)
                deliveryTimeout().toMillis());
        all.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) answer);
        all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, answer);
        int cap = Integer.parseInt(given.getOrDefault(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, "1048576"));
        all.put(ProducerConfig.BUFFER_MEMORY_CONFIG, Math.max(32L << 20, 4L * cap));
        given.forEach((name, value) -> {
            if (!ClientProperty.isForEveryClient(name)) {
                all.put(name, value);
            }
        });
        return all;
    }

    Map<String, Object> reader() {
        Map<String, Object> all = client();
        int answer = (int) answerTimeout().toMillis();
        all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        all.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        // If retention deletes records while we read, continue with the oldest that is left.
        all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        // An open transaction of another producer must not hide the records behind it.
        all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
        all.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 8 << 20);
        all.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 2_000);
        all.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, answer);
        all.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, answer);
        return all;
    }

    Map<String, Object> admin() {
        Map<String, Object> all = client();
        int answer = (int) answerTimeout().toMillis();
        all.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, answer);
        all.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, answer);
        return all;
    }

    private Map<String, Object> client() {
        Map<String, Object> all = new HashMap<>();
        all.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, servers);
        // A broker that is down costs a line in the client's log per attempt: every 2 s, not 20 times a second.
        all.put(CommonClientConfigs.RECONNECT_BACKOFF_MS_CONFIG, 250L);
        all.put(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, 2_000L);
        all.put(CommonClientConfigs.ENABLE_METRICS_PUSH_CONFIG, false);
        given.forEach((name, value) -> {
            if (ClientProperty.isForEveryClient(name)) {
                all.put(name, value);
            }
        });
        if (given.containsKey(SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG)) {
            all.put(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, "PEM");
        }
        if (given.containsKey(SslConfigs.SSL_KEYSTORE_KEY_CONFIG)) {
            all.put(SslConfigs.SSL_KEYSTORE_TYPE_CONFIG, "PEM");
        }
        if (login != null) {
            all.put(SaslConfigs.SASL_MECHANISM, login.mechanism());
            all.put(SaslConfigs.SASL_JAAS_CONFIG, login.jaas());
        }
        return all;
    }

    /** The given options without secrets. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("servers=" + servers + " format=" + format.word());
        given.forEach((name, value) ->
                text.append(' ').append(name).append('=').append(ClientProperty.isShown(name) ? value : "(given)"));
        return login == null ? text.toString() : text + " login=" + login.mechanism();
    }

    /** Replaces control characters: an untrusted value must not write lines of its own into a log. */
    static String shortened(String value) {
        String clean = value.replaceAll("\\p{Cntrl}", "?");
        return clean.length() <= 120 ? clean : clean.substring(0, 117) + "...";
    }
}

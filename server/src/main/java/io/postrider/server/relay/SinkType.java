package io.postrider.server.relay;

import io.postrider.Sink;
import io.postrider.kafka.KafkaOptions;
import io.postrider.kafka.KafkaSink;
import io.postrider.redis.RedisOptions;
import io.postrider.redis.RedisPubSubSink;
import io.postrider.redis.RedisStreamSink;
import io.postrider.server.settings.Secrets;
import io.postrider.webhook.WebhookOptions;
import io.postrider.webhook.WebhookSink;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Creates a sink of one type from settings. */
@FunctionalInterface
interface SinkType {
    /** By the value of the setting {@code type}. */
    Map<String, SinkType> ALL = Map.of(
            "kafka", SinkType::kafka,
            "redis-pubsub", SinkType::redisPubSub,
            "redis-stream", SinkType::redisStream,
            "webhook", SinkType::webhook);

    Sink sink(Given given, UnaryOperator<@Nullable String> environment);

    private static Sink kafka(Given given, UnaryOperator<@Nullable String> environment) {
        KafkaOptions options = KafkaOptions.at(given.needed("servers")).withProperties(given.properties());
        String user = given.text("user").orElse(null);
        if (user != null) {
            String mechanism = given.text("mechanism").orElse("SCRAM-SHA-512");
            String password = given.secret("password").orElseThrow(() -> given.refused("password", "must be given"));
            options = options.withLogin(mechanism, user, password);
        }
        options = given.text("protocol").map(options::withProtocol).orElse(options);
        options = given.text("compression").map(options::withCompression).orElse(options);
        options = options.withFormat(given.format());
        return KafkaSink.to(given.text("kafka-topic").orElse(given.needed("topic")), options);
    }

    private static Sink redisPubSub(Given given, UnaryOperator<@Nullable String> environment) {
        return new RedisPubSubSink(
                redis(given, environment), given.text("channel").orElse(RedisPubSubSink.CHANNEL), given.format());
    }

    private static Sink redisStream(Given given, UnaryOperator<@Nullable String> environment) {
        String stream = given.needed("stream");
        RedisOptions options = redis(given, environment);
        long most = given.number("most-kept").map(Integer::longValue).orElse(Long.MAX_VALUE);
        return new RedisStreamSink(options, stream, most, given.format());
    }

    private static RedisOptions redis(Given given, UnaryOperator<@Nullable String> environment) {
        return given.secret("url")
                .map(RedisOptions::at)
                .or(() -> RedisAddress.of(environment))
                .orElseThrow(() -> given.refused("url", "must be given, or postrider.redis-url, or REDIS_HOST"));
    }

    private static Sink webhook(Given given, UnaryOperator<@Nullable String> environment) {
        List<String> secrets = given.texts("secrets").stream()
                .map(secret -> Secrets.read("secrets", secret))
                .toList();
        if (secrets.isEmpty()) {
            throw given.refused("secrets", "must be given: one secret, or two during a rotation");
        }
        WebhookOptions options = WebhookOptions.signedWith(secrets.toArray(String[]::new))
                .withAllowedHosts(given.texts("allowed-hosts").toArray(String[]::new))
                .withFormat(given.format());
        options = given.time("timeout").map(options::withTimeout).orElse(options);
        options = given.time("connect-timeout").map(options::withConnectTimeout).orElse(options);
        int[] ports = given.texts("ports").stream()
                .mapToInt(text -> port(given, text))
                .toArray();
        String url = given.needed("url");
        try {
            return WebhookSink.to(URI.create(url), ports.length == 0 ? options : options.withPorts(ports));
        } catch (IllegalArgumentException e) {
            throw given.refused("url", "must be a URL such as https://example.org/hook");
        }
    }

    private static int port(Given given, String text) {
        if (!text.matches("[0-9]{1,5}")) {
            throw given.refused("ports", "must be numbers, was '" + text + "'");
        }
        return Integer.parseInt(text);
    }
}

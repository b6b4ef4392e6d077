package io.postrider.server.settings;

import io.postrider.MessageFormat;
import io.postrider.PostriderException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The server's settings under {@code postrider.}, in addition to those of the starter. The environment variable of {@code
 * postrider.http.port} is {@code POSTRIDER_HTTP_PORT}.
 *
 * @param roles any of api, gateway, worker; default: all
 * @param databaseUrl in the form of psql or JDBC; default: PSQL_*, PG*, or an embedded database
 * @param redisUrl for relays to Redis; default: REDIS_HOST and REDIS_PORT
 * @param redisChannelSecret signs the messages that go through a Redis channel
 * @param poolSize maximum number of database connections
 * @param log json or text
 * @param relays by name, each with its type, its topic and the settings of its type
 */
@ConfigurationProperties("postrider")
public record ServerSettings(
        @Nullable Set<Role> roles,
        @Nullable String databaseUrl,
        @Nullable String redisUrl,
        @Nullable String redisChannelSecret,
        @DefaultValue("16") int poolSize,
        @DefaultValue("json") String log,
        @DefaultValue Http http,
        @DefaultValue Auth auth,
        @DefaultValue Api api,
        @DefaultValue Gateway gateway,
        @DefaultValue EventLog eventLog,
        @DefaultValue Embedded embedded,
        @DefaultValue Map<String, Map<String, String>> relays) {

    /**
     * Where the server listens, and which clients it accepts.
     *
     * @param origins origins that may call the API (CORS), such as {@code https://chat.example.org}
     * @param metrics open or token; default: open if only this machine can connect
     * @param headTimeout time within which the whole head of a request must arrive, from its first byte
     * @param bodyTimeout time within which the whole body of a request must arrive
     * @param answerTimeout time within which the client must have read the whole answer
     * @param connectionsPerAddress maximum number of connections of one client address; 0: limited only by its share of all
     */
    public record Http(
            @DefaultValue("8080") int port,
            @DefaultValue("127.0.0.1") String bind,
            @DefaultValue List<String> origins,
            @Nullable Metrics metrics,
            @DefaultValue("10s") Duration headTimeout,
            @DefaultValue("10s") Duration bodyTimeout,
            @DefaultValue("30s") Duration answerTimeout,
            @DefaultValue("0") int connectionsPerAddress) {
        public Http {
            if (bind.isBlank()) {
                throw PostriderException.refused("postrider.http.bind (POSTRIDER_HTTP_BIND, --bind) is blank; give an"
                        + " address such as 127.0.0.1, or leave it out");
            }
            refuseTimeout("head", headTimeout);
            refuseTimeout("body", bodyTimeout);
            refuseTimeout("answer", answerTimeout);
            if (connectionsPerAddress < 0) {
                throw PostriderException.refused("postrider.http.connections-per-address must be 1 or more, or 0 for no"
                        + " fixed limit; was " + connectionsPerAddress);
            }
            if (port < 0 || port > 65_535) {
                throw PostriderException.refused("postrider.http.port (--port) must be 0..65535, was " + port);
            }
        }

        private static void refuseTimeout(String what, Duration timeout) {
            if (timeout.compareTo(Duration.ofSeconds(1)) < 0 || timeout.compareTo(Duration.ofMinutes(5)) > 0) {
                throw PostriderException.refused("postrider.http." + what + "-timeout must be 1s..5m, was " + timeout);
            }
        }
    }

    /** Access to {@code /metrics}. */
    public enum Metrics {
        OPEN,
        TOKEN
    }

    /**
     * The keys that verify tokens.
     *
     * @param secrets HS256, by key id: the text itself, at least 32 bytes, or {@code file:/path}
     * @param publicKeys RS256, ES256 or EdDSA, by key id: PEM, or {@code file:/path}
     */
    public record Auth(
            @DefaultValue("postrider") String issuer,
            @DefaultValue("postrider") String audience,
            @DefaultValue Map<String, String> secrets,
            @DefaultValue Map<String, String> publicKeys) {
        /** Omits the secrets, which must not appear in a log. */
        @Override
        public String toString() {
            return "issuer=" + issuer + " audience=" + audience + " secrets=" + secrets.keySet() + " public_keys="
                    + publicKeys.keySet();
        }
    }

    /**
     * What tokens may write, and limits for reads and writes.
     *
     * @param userTopics topics to which tokens with reach user may emit; default: none
     * @param userQueues queues on which they may enqueue
     * @param projectTopics topics to which tokens with reach project may emit; default: every existing topic
     * @param projectQueues queues on which they may enqueue
     * @param readers maximum number of concurrent reads, each on a connection in addition to those of the pool
     * @param readTimeout for one statement of a read
     * @param writers maximum number of concurrent writes, each on a connection in addition to those of the pool
     * @param projectRate events and jobs that the tokens of one project may write per second on this node; 0: no limit
     * @param projectBurst maximum number of these in one burst
     * @param userRate the same rate for one user
     * @param userBurst the same burst for one user
     */
    public record Api(
            @DefaultValue Set<String> userTopics,
            @DefaultValue Set<String> userQueues,
            @Nullable Set<String> projectTopics,
            @Nullable Set<String> projectQueues,
            @DefaultValue("4") int readers,
            @DefaultValue("10s") Duration readTimeout,
            @DefaultValue("16") int writers,
            @DefaultValue("5000") int projectRate,
            @DefaultValue("20000") int projectBurst,
            @DefaultValue("50") int userRate,
            @DefaultValue("200") int userBurst) {
        public Api {
            refuseRate("project", projectRate, projectBurst);
            refuseRate("user", userRate, userBurst);
            if (readers < 1 || readers > 64) {
                throw PostriderException.refused("postrider.api.readers must be 1..64, was " + readers);
            }
            if (writers < 2 || writers > 128) {
                throw PostriderException.refused("postrider.api.writers must be 2..128, was " + writers);
            }
            if (readTimeout.compareTo(Duration.ofMillis(100)) < 0
                    || readTimeout.compareTo(Duration.ofSeconds(30)) > 0) {
                throw PostriderException.refused("postrider.api.read-timeout must be 100ms..30s, was " + readTimeout);
            }
        }

        private static void refuseRate(String whose, int rate, int burst) {
            if (rate < 0 || rate > 1_000_000) {
                throw PostriderException.refused(
                        "postrider.api." + whose + "-rate must be 0 (no limit) to 1000000, was " + rate);
            }
            if (burst < 1 || burst > 10_000_000) {
                throw PostriderException.refused("postrider.api." + whose + "-burst must be 1..10000000, was " + burst);
            }
        }
    }

    /**
     * What the gateway streams to browsers.
     *
     * @param feed where events come from: the log, or Redis pub/sub repaired from the log
     * @param channel the Redis channel
     * @param channelFormat the format of the messages on that channel: cloudevents, payload or payload-with-id
     * @param format the format of events in streams: cloudevents, payload or payload-with-id
     * @param connections maximum number of connections on this node
     * @param connectionsOfOne maximum number of connections of one subject
     * @param recent events of a topic that are kept in memory for clients that reconnect; older ones are in the event log
     */
    public record Gateway(
            @DefaultValue Set<String> topics,
            @DefaultValue("log") Feed feed,
            @DefaultValue("new_message_channel") String channel,
            @DefaultValue("cloudevents") MessageFormat channelFormat,
            @DefaultValue("cloudevents") MessageFormat format,
            @DefaultValue("10000") int connections,
            @DefaultValue("20") int connectionsOfOne,
            @DefaultValue("10000") int recent) {}

    /** Where the gateway's events come from. */
    public enum Feed {
        LOG,
        REDIS
    }

    /**
     * The read model.
     *
     * @param topics the topics to record; default: every topic, as it appears
     * @param topicLimit maximum number of topics that are recorded if none are named; each is a listener with a thread
     */
    public record EventLog(
            @Nullable Set<String> topics,
            @DefaultValue("200") int topicLimit) {
        public EventLog {
            if (topicLimit < 1 || topicLimit > 10_000) {
                throw PostriderException.refused("postrider.event-log.topic-limit must be 1..10000, was " + topicLimit);
            }
        }
    }

    /**
     * The embedded database that is started if no other is configured.
     *
     * @param data its directory; default: a temporary one that is deleted when the server ends
     */
    public record Embedded(@Nullable String data) {}

    /** Omits settings that may hold a password or a secret: addresses and relay settings. */
    @Override
    public String toString() {
        return "roles=" + allRoles() + " pool_size=" + poolSize + " log=" + log + " http=" + http + " auth=[" + auth
                + "] api=" + api + " gateway=" + gateway + " event_log=" + eventLog + " embedded=" + embedded
                + " relays=" + relays.keySet();
    }

    /** Topics that the settings name: to be streamed, recorded or relayed. */
    public Set<String> namedTopics() {
        Set<String> topics = new HashSet<>(gateway.topics());
        if (eventLog.topics() != null) {
            topics.addAll(eventLog.topics());
        }
        relays.values().stream()
                .map(relay -> relay.get("topic"))
                .filter(Objects::nonNull)
                .forEach(topics::add);
        return topics;
    }

    /** The roles; default: all. */
    public Set<Role> allRoles() {
        return roles == null || roles.isEmpty() ? Set.of(Role.values()) : roles;
    }
}

package io.postrider.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.postrider.PostriderException;
import io.postrider.redis.RedisTopology.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The address of Redis and how to connect to it: one server, a cluster, or a primary that sentinels name. Immutable: each
 * {@code with…} returns a changed copy. An invalid value is refused, and the error names the option. {@link #toString} and errors
 * contain no secret.
 */
public final class RedisOptions {
    private static final int SHORTEST_SECRET = 16;
    static final int DEFAULT_PORT = 6379;
    static final int DEFAULT_SENTINEL_PORT = 26_379;

    private final RedisTopology topology;
    private final @Nullable String user;
    private final @Nullable String password;
    private final boolean tls;
    private final int database;
    private final Duration connectTimeout;
    private final Duration timeout;
    private final @Nullable String channelSecret;

    private RedisOptions(Draft draft) {
        this.topology = draft.topology;
        this.user = draft.user;
        this.password = draft.password;
        this.tls = draft.tls;
        this.database = Checks.outside("redis database", draft.database, 0, 10_000);
        this.connectTimeout = Checks.outside(
                "redis connect timeout", draft.connectTimeout, Duration.ofMillis(10), Duration.ofMinutes(1));
        this.timeout = Checks.outside("redis timeout", draft.timeout, Duration.ofMillis(10), Duration.ofMinutes(5));
        this.channelSecret = draft.channelSecret;
        if (topology.kind() == Kind.CLUSTER && database != 0) {
            throw PostriderException.refused("redis database must be 0 in a cluster, was " + database);
        }
        if (user != null && password == null) {
            throw PostriderException.refused("redis user " + user + " needs a password");
        }
        if (channelSecret != null && channelSecret.length() < SHORTEST_SECRET) {
            throw PostriderException.refused("redis channel secret must have at least " + SHORTEST_SECRET
                    + " characters; make one with: openssl rand -base64 32");
        }
    }

    /** A server without TLS and without a password, database 0; 2 s to connect, 5 s for a reply. */
    public static RedisOptions at(String host, int port) {
        Draft draft = new Draft();
        draft.topology = RedisTopology.single(Checks.missing("redis host", host), port);
        return new RedisOptions(draft);
    }

    /**
     * A cluster. Each stream and each channel is on one of its nodes, which is found anew for each connection.
     *
     * @param nodes some of its nodes, each as {@code host:port}; the others are found through them
     */
    public static RedisOptions cluster(String... nodes) {
        return of(RedisTopology.of(Kind.CLUSTER, List.of(nodes), DEFAULT_PORT, null));
    }

    /**
     * The primary that sentinels name, found anew for each connection.
     *
     * @param primary the name by which the sentinels know it
     * @param sentinels some of the sentinels, each as {@code host:port}
     */
    public static RedisOptions sentinel(String primary, String... sentinels) {
        return of(RedisTopology.of(Kind.SENTINEL, List.of(sentinels), DEFAULT_SENTINEL_PORT, primary));
    }

    private static RedisOptions of(RedisTopology topology) {
        Draft draft = new Draft();
        draft.topology = topology;
        return new RedisOptions(draft);
    }

    /**
     * From {@code redis://[user:password@]host[:port][/database]}, or {@code rediss://} for TLS; for a cluster {@code
     * redis-cluster://[user:password@]host:port,host:port}; for sentinels {@code
     * redis-sentinel://[user:password@]host:port,host:port[/database]#primary}. The user and the password are those of the Redis
     * servers, not of the sentinels. {@code rediss-cluster://} and {@code rediss-sentinel://} use TLS.
     */
    public static RedisOptions at(String url) {
        return RedisUrl.read(Checks.missing("redis url", url));
    }

    /**
     * From the environment: {@code POSTRIDER_REDIS_URL}; or {@code REDIS_HOST} and {@code REDIS_PORT}, with {@code REDIS_USER},
     * {@code REDIS_PASSWORD}, {@code REDIS_DATABASE} and {@code REDIS_TLS} ({@code on} or {@code off}). With {@code
     * REDIS_CLUSTER=on} the host is a node of a cluster, with {@code REDIS_SENTINEL_PRIMARY=name} a sentinel; {@code REDIS_HOST}
     * may then list several, as {@code host:port,host:port}. In both cases {@code POSTRIDER_REDIS_CHANNEL_SECRET} is read too. Returns empty if neither {@code POSTRIDER_REDIS_URL} nor
     * {@code REDIS_HOST} is set.
     */
    public static Optional<RedisOptions> fromEnvironment(Map<String, String> environment) {
        String url = environment.getOrDefault("POSTRIDER_REDIS_URL", "");
        String host = environment.getOrDefault("REDIS_HOST", "");
        String secret = environment.getOrDefault("POSTRIDER_REDIS_CHANNEL_SECRET", "");
        if (url.isEmpty() && host.isEmpty()) {
            return Optional.empty();
        }
        RedisOptions options = url.isEmpty() ? RedisUrl.fromParts(host, environment) : at(url);
        return Optional.of(secret.isEmpty() ? options : options.withChannelSecret(secret));
    }

    /** The password of the default user. */
    public RedisOptions withPassword(String newPassword) {
        return withLogin(null, newPassword);
    }

    /** A user of the server's ACL and its password; without a user, the default user. */
    public RedisOptions withLogin(@Nullable String newUser, String newPassword) {
        Draft draft = new Draft(this);
        draft.user = newUser;
        draft.password = Checks.missing("redis password", newPassword);
        if (newPassword.isEmpty()) {
            throw PostriderException.refused("redis password must not be empty");
        }
        return new RedisOptions(draft);
    }

    /**
     * TLS. The server's name is checked against its certificate, and the certificate against the JVM's trust store. Default off.
     */
    public RedisOptions withTls(boolean on) {
        Draft draft = new Draft(this);
        draft.tls = on;
        return new RedisOptions(draft);
    }

    /** The database number. It does not affect channels. Default 0. */
    public RedisOptions withDatabase(int number) {
        Draft draft = new Draft(this);
        draft.database = number;
        return new RedisOptions(draft);
    }

    /** The connect timeout. 10 ms..1 min, default 2 s. */
    public RedisOptions withConnectTimeout(Duration most) {
        Draft draft = new Draft(this);
        draft.connectTimeout = Checks.missing("redis connect timeout", most);
        return new RedisOptions(draft);
    }

    /** The reply timeout, after which the connection is abandoned. 10 ms..5 min, default 5 s. */
    public RedisOptions withTimeout(Duration most) {
        Draft draft = new Draft(this);
        draft.timeout = Checks.missing("redis timeout", most);
        return new RedisOptions(draft);
    }

    /**
     * A secret shared only by the relay and the feed of a channel: the relay signs each message with it, and the feed trusts
     * signed messages. At least 16 characters. Default none.
     */
    public RedisOptions withChannelSecret(String secret) {
        Draft draft = new Draft(this);
        draft.channelSecret = Checks.missing("redis channel secret", secret);
        return new RedisOptions(draft);
    }

    /** The host of the server; of a cluster or of sentinels, that of the first node. */
    public String host() {
        return topology.first().host();
    }

    /** The port of the server; of a cluster or of sentinels, that of the first node. */
    public int port() {
        return topology.first().port();
    }

    RedisTopology topology() {
        return topology;
    }

    public Duration timeout() {
        return timeout;
    }

    Duration connectTimeout() {
        return connectTimeout;
    }

    Optional<Seal> seal() {
        return Optional.ofNullable(channelSecret).map(Seal::new);
    }

    /** In Lettuce's format; for a cluster, its first node. */
    RedisURI uri(String clientName) {
        if (topology.kind() != Kind.SENTINEL) {
            return uri(clientName, topology.first());
        }
        RedisURI.Builder builder = RedisURI.builder().withSentinelMasterId(String.valueOf(topology.primary()));
        topology.nodes().forEach(node -> builder.withSentinel(node.host(), node.port()));
        RedisURI uri = completed(builder, clientName);
        uri.getSentinels().forEach(sentinel -> {
            sentinel.setSsl(tls);
            sentinel.setVerifyPeer(SslVerifyMode.FULL);
            sentinel.setTimeout(timeout);
        });
        return uri;
    }

    /** One process of the topology. */
    RedisURI uri(String clientName, RedisTopology.Node node) {
        return completed(RedisURI.builder().withHost(node.host()).withPort(node.port()), clientName);
    }

    private RedisURI completed(RedisURI.Builder builder, String clientName) {
        builder.withDatabase(database)
                .withSsl(tls)
                .withVerifyPeer(SslVerifyMode.FULL)
                .withTimeout(timeout)
                .withClientName(clientName);
        if (user != null && password != null) {
            builder.withAuthentication(user, password.toCharArray());
        } else if (password != null) {
            builder.withPassword(password.toCharArray());
        }
        return builder.build();
    }

    /** Such as {@code redis.example:6379/0}: the address, for lists and logs. */
    String place() {
        return topology + (topology.kind() == Kind.CLUSTER ? "" : "/" + database);
    }

    /** Every effective option except the secrets. */
    @Override
    public String toString() {
        return "redis=" + place() + " tls=" + tls + " user=" + (user == null ? "default" : user) + " password="
                + (password == null ? "none" : "given") + " connect_timeout=" + connectTimeout + " timeout=" + timeout
                + " channel_secret=" + (channelSecret == null ? "none" : "given");
    }

    private static final class Draft {
        RedisTopology topology = RedisTopology.single("localhost", DEFAULT_PORT);

        @Nullable
        String user;

        @Nullable
        String password;

        boolean tls;
        int database;
        Duration connectTimeout = Duration.ofSeconds(2);
        Duration timeout = Duration.ofSeconds(5);

        @Nullable
        String channelSecret;

        Draft() {}

        Draft(RedisOptions from) {
            this.topology = from.topology;
            this.user = from.user;
            this.password = from.password;
            this.tls = from.tls;
            this.database = from.database;
            this.connectTimeout = from.connectTimeout;
            this.timeout = from.timeout;
            this.channelSecret = from.channelSecret;
        }
    }
}

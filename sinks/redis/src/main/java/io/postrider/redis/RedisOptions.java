package io.postrider.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.postrider.PostriderException;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The address of a Redis server and how to connect to it: one server, or an address that leads to the current primary. Not a
 * cluster. Immutable: each {@code with…} returns a changed copy. An invalid value is refused, and the error names the option.
 * {@link #toString} and errors contain no secret.
 */
public final class RedisOptions {
    private static final int SHORTEST_SECRET = 16;

    private final String host;
    private final int port;
    private final @Nullable String user;
    private final @Nullable String password;
    private final boolean tls;
    private final int database;
    private final Duration connectTimeout;
    private final Duration timeout;
    private final @Nullable String channelSecret;

    private RedisOptions(Draft draft) {
        this.host = draft.host;
        this.port = Checks.outside("redis port", draft.port, 1, 65_535);
        this.user = draft.user;
        this.password = draft.password;
        this.tls = draft.tls;
        this.database = Checks.outside("redis database", draft.database, 0, 10_000);
        this.connectTimeout = Checks.outside(
                "redis connect timeout", draft.connectTimeout, Duration.ofMillis(10), Duration.ofMinutes(1));
        this.timeout = Checks.outside("redis timeout", draft.timeout, Duration.ofMillis(10), Duration.ofMinutes(5));
        this.channelSecret = draft.channelSecret;
        if (host.isBlank() || !host.equals(host.strip())) {
            throw PostriderException.refused("redis host must be a name or an address, was '" + host + "'");
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
        draft.host = Checks.missing("redis host", host);
        draft.port = port;
        return new RedisOptions(draft);
    }

    /** From {@code redis://[user:password@]host[:port][/database]}, or {@code rediss://} for TLS. */
    public static RedisOptions at(String url) {
        URI uri = parsed(Checks.missing("redis url", url));
        boolean secure = "rediss".equals(uri.getScheme());
        if ((!secure && !"redis".equals(uri.getScheme())) || uri.getHost() == null || uri.getQuery() != null) {
            throw badUrl();
        }
        RedisOptions options = at(uri.getHost(), uri.getPort() < 0 ? 6379 : uri.getPort());
        if (uri.getUserInfo() != null) {
            String[] parts = uri.getUserInfo().split(":", 2);
            options = parts.length == 1
                    ? options.withPassword(parts[0])
                    : options.withLogin(parts[0].isEmpty() ? null : parts[0], parts[1]);
        }
        String path = uri.getPath() == null ? "" : uri.getPath().replaceFirst("^/", "");
        return options.withTls(secure).withDatabase(path.isEmpty() ? 0 : number("redis database", path));
    }

    /**
     * From the environment: {@code POSTRIDER_REDIS_URL}; or {@code REDIS_HOST} and {@code REDIS_PORT}, with {@code REDIS_USER},
     * {@code REDIS_PASSWORD}, {@code REDIS_DATABASE} and {@code REDIS_TLS} ({@code on} or {@code off}). In both
     * cases {@code POSTRIDER_REDIS_CHANNEL_SECRET} is read too. Returns empty if neither {@code POSTRIDER_REDIS_URL} nor
     * {@code REDIS_HOST} is set.
     */
    public static Optional<RedisOptions> fromEnvironment(Map<String, String> environment) {
        String url = environment.getOrDefault("POSTRIDER_REDIS_URL", "");
        String host = environment.getOrDefault("REDIS_HOST", "");
        String secret = environment.getOrDefault("POSTRIDER_REDIS_CHANNEL_SECRET", "");
        if (url.isEmpty() && host.isEmpty()) {
            return Optional.empty();
        }
        RedisOptions options = url.isEmpty() ? fromParts(host, environment) : at(url);
        return Optional.of(secret.isEmpty() ? options : options.withChannelSecret(secret));
    }

    private static RedisOptions fromParts(String host, Map<String, String> environment) {
        RedisOptions options = at(host, number("REDIS_PORT", environment.getOrDefault("REDIS_PORT", "6379")));
        String user = environment.getOrDefault("REDIS_USER", "");
        String password = environment.getOrDefault("REDIS_PASSWORD", "");
        String tls = environment.getOrDefault("REDIS_TLS", "off");
        if (!tls.equals("on") && !tls.equals("off")) {
            throw PostriderException.refused("REDIS_TLS must be on or off, was '" + tls + "'");
        }
        if (!user.isEmpty() || !password.isEmpty()) {
            options = options.withLogin(user.isEmpty() ? null : user, password);
        }
        return options.withTls(tls.equals("on"))
                .withDatabase(number("REDIS_DATABASE", environment.getOrDefault("REDIS_DATABASE", "0")));
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

    public String host() {
        return host;
    }

    public int port() {
        return port;
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

    /** In Lettuce's format. */
    RedisURI uri(String clientName) {
        RedisURI.Builder builder = RedisURI.builder()
                .withHost(host)
                .withPort(port)
                .withDatabase(database)
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
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port + "/" + database;
    }

    /** Every effective option except the secrets. */
    @Override
    public String toString() {
        return "redis=" + place() + " tls=" + tls + " user=" + (user == null ? "default" : user) + " password="
                + (password == null ? "none" : "given") + " connect_timeout=" + connectTimeout + " timeout=" + timeout
                + " channel_secret=" + (channelSecret == null ? "none" : "given");
    }

    private static URI parsed(String url) {
        try {
            return new URI(url);
        } catch (URISyntaxException e) {
            throw badUrl(); // no cause: it would show the password
        }
    }

    private static PostriderException badUrl() {
        return PostriderException.refused(
                "redis url must be redis://[user:password@]host[:port][/database], or rediss:// for TLS;"
                        + " percent-encode every character of user and password that is not a letter or digit");
    }

    private static int number(String name, String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw PostriderException.refused(name + " must be a number, was '" + text + "'");
        }
    }

    private static final class Draft {
        String host = "localhost";
        int port = 6379;

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
            this.host = from.host;
            this.port = from.port;
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

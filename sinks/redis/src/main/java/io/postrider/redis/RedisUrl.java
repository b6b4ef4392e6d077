package io.postrider.redis;

import io.postrider.PostriderException;
import io.postrider.redis.RedisTopology.Kind;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads {@link RedisOptions} from a URL or from the environment. No error repeats a password. */
final class RedisUrl {
    private static final Pattern URL = Pattern.compile(
            "(rediss?)(-cluster|-sentinel)?://(?:([^@/]*)@)?"
                    + "((?:\\[[0-9A-Fa-f:.%]+]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?(?:,[A-Za-z0-9._:\\[\\]%-]+)*)(?:/([^?#]*))?(?:#(.+))?");

    private RedisUrl() {}

    static RedisOptions read(String url) {
        Matcher parts = URL.matcher(url);
        if (!parts.matches()) {
            throw bad();
        }
        Kind kind = kind(parts.group(2));
        List<String> nodes = List.of(parts.group(4).split(","));
        @Nullable String primary = parts.group(6);
        boolean isMisplaced = kind == Kind.SINGLE && nodes.size() > 1 || (kind == Kind.SENTINEL) == (primary == null);
        if (isMisplaced) {
            throw bad();
        }
        String path = parts.group(5) == null ? "" : parts.group(5);
        RedisOptions options = options(kind, nodes, primary)
                .withTls(parts.group(1).equals("rediss"))
                .withDatabase(path.isEmpty() ? 0 : number("redis database", path));
        return parts.group(3) == null ? options : login(options, parts.group(3));
    }

    private static Kind kind(@Nullable String suffix) {
        if (suffix == null) {
            return Kind.SINGLE;
        }
        return suffix.equals("-cluster") ? Kind.CLUSTER : Kind.SENTINEL;
    }

    private static RedisOptions options(Kind kind, List<String> nodes, @Nullable String primary) {
        String[] all = nodes.toArray(String[]::new);
        return switch (kind) {
            case SINGLE -> {
                RedisTopology.Node node = RedisTopology.Node.of(all[0], RedisOptions.DEFAULT_PORT);
                yield RedisOptions.at(node.host(), node.port());
            }
            case CLUSTER -> RedisOptions.cluster(all);
            case SENTINEL -> RedisOptions.sentinel(String.valueOf(primary), all);
        };
    }

    private static RedisOptions login(RedisOptions options, String text) {
        String[] parts = text.split(":", 2);
        return parts.length == 1
                ? options.withPassword(decoded(parts[0]))
                : options.withLogin(parts[0].isEmpty() ? null : decoded(parts[0]), decoded(parts[1]));
    }

    /** A plus sign stays a plus sign: this is not form encoding. */
    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw bad(); // no cause: it would show the password
        }
    }

    static RedisOptions fromParts(String host, Map<String, String> environment) {
        String primary = environment.getOrDefault("REDIS_SENTINEL_PRIMARY", "");
        boolean isCluster = isOn("REDIS_CLUSTER", environment);
        if (isCluster && !primary.isEmpty()) {
            throw PostriderException.refused(
                    "REDIS_CLUSTER and REDIS_SENTINEL_PRIMARY are both set; remove one of them");
        }
        Kind kind = isCluster ? Kind.CLUSTER : primary.isEmpty() ? Kind.SINGLE : Kind.SENTINEL;
        int port = number(
                "REDIS_PORT",
                environment.getOrDefault(
                        "REDIS_PORT",
                        Integer.toString(
                                kind == Kind.SENTINEL
                                        ? RedisOptions.DEFAULT_SENTINEL_PORT
                                        : RedisOptions.DEFAULT_PORT)));
        RedisOptions options = kind == Kind.SINGLE
                ? RedisOptions.at(host, port)
                : options(kind, withPorts(host, port), primary.isEmpty() ? null : primary);
        String user = environment.getOrDefault("REDIS_USER", "");
        String password = environment.getOrDefault("REDIS_PASSWORD", "");
        if (!user.isEmpty() || !password.isEmpty()) {
            options = options.withLogin(user.isEmpty() ? null : user, password);
        }
        return options.withTls(isOn("REDIS_TLS", environment))
                .withDatabase(number("REDIS_DATABASE", environment.getOrDefault("REDIS_DATABASE", "0")));
    }

    private static List<String> withPorts(String hosts, int port) {
        return List.of(hosts.split(",")).stream()
                .map(host -> RedisTopology.Node.of(host.strip(), port).toString())
                .toList();
    }

    private static boolean isOn(String variable, Map<String, String> environment) {
        String value = environment.getOrDefault(variable, "off");
        if (!value.equals("on") && !value.equals("off")) {
            throw PostriderException.refused(variable + " must be on or off, was '" + value + "'");
        }
        return value.equals("on");
    }

    private static int number(String name, String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw PostriderException.refused(name + " must be a number, was '" + text + "'");
        }
    }

    private static PostriderException bad() {
        return PostriderException.refused(
                "redis url must be redis://[user:password@]host[:port][/database], or rediss:// for TLS,"
                        + " redis-cluster://host:port,host:port for a cluster,"
                        + " redis-sentinel://host:port,host:port#primary for sentinels;"
                        + " percent-encode every character of user and password that is not a letter or digit");
    }
}

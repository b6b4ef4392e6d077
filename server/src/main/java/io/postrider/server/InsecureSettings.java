package io.postrider.server;

import io.postrider.server.relay.InsecureRelay;
import io.postrider.server.settings.Role;
import io.postrider.server.settings.Secrets;
import io.postrider.server.settings.ServerSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports allowed settings that weaken the server: at each start, one line each, with what to do. */
final class InsecureSettings {
    private static final Logger log = LoggerFactory.getLogger(InsecureSettings.class);

    /** A random secret of 32 hexadecimal digits has fewer in less than one of 100,000 cases. */
    private static final int LEAST_DISTINCT = 8;

    private InsecureSettings() {}

    private static long distinctBytes(ServerSettings.Auth auth, String id) {
        byte[] secret = Secrets.read(
                        "postrider.auth.secrets." + id, auth.secrets().getOrDefault(id, ""))
                .getBytes(StandardCharsets.UTF_8);
        return IntStream.range(0, secret.length).map(i -> secret[i]).distinct().count();
    }

    static void report(ServerSettings settings) {
        of(settings).forEach(line -> log.warn("insecure_setting {}", line));
    }

    static List<String> of(ServerSettings settings) {
        List<String> lines = new ArrayList<>();
        if (settings.http().metrics() == ServerSettings.Metrics.OPEN) {
            lines.add(
                    "key=postrider.http.metrics anyone who can connect can read /metrics, with the names of topics and"
                            + " queues: set it to token, or remove it");
        }
        for (String id : new TreeSet<>(settings.auth().secrets().keySet())) {
            long distinct = distinctBytes(settings.auth(), id);
            if (distinct < LEAST_DISTINCT) {
                lines.add("key=postrider.auth.secrets." + id + " the secret has only " + distinct
                        + " different bytes and can be guessed: create one with: openssl rand -base64 48");
            }
        }
        if (settings.allRoles().contains(Role.WORKER)) {
            new TreeMap<>(settings.relays()).forEach((name, relay) -> lines.addAll(InsecureRelay.of(name, relay)));
        }
        return lines;
    }
}

package io.postrider.server;

import io.postrider.server.relay.InsecureRelay;
import io.postrider.server.settings.Role;
import io.postrider.server.settings.ServerSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports allowed settings that weaken the server: at each start, one line each, with what to do. */
final class InsecureSettings {
    private static final Logger log = LoggerFactory.getLogger(InsecureSettings.class);

    private InsecureSettings() {}

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
        if (settings.allRoles().contains(Role.WORKER)) {
            new TreeMap<>(settings.relays()).forEach((name, relay) -> lines.addAll(InsecureRelay.of(name, relay)));
        }
        return lines;
    }
}

package io.postrider.server.relay;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reports insecure settings of a relay, each with what to do. */
public final class InsecureRelay {
    private InsecureRelay() {}

    /** One line for each insecure setting of this relay. */
    public static List<String> of(String name, Map<String, String> settings) {
        Given given = new Given(name, settings);
        List<String> lines = new ArrayList<>();
        String prefix = "key=postrider.relays." + name + ".";
        String protocol = given.text("protocol").orElse(given.properties().get("security.protocol"));
        if (given.text("user").isPresent() && "SASL_PLAINTEXT".equals(protocol)) {
            lines.add(prefix + "protocol the login and the events cross the network in plain text: use SASL_SSL");
        }
        List<String> hosts = given.texts("allowed-hosts");
        if (!hosts.isEmpty()) {
            lines.add(prefix + "allowed-hosts webhooks may connect to " + String.join(", ", hosts)
                    + " at any address, private ones included: remove hosts that have a public address");
        }
        return lines;
    }
}

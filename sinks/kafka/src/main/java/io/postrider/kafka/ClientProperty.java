package io.postrider.kafka;

import io.postrider.PostriderException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * The Kafka client properties that may be set, and their valid values. It is an allowlist, because some of the several hundred
 * others load a class, open a file or call an address (CVE-2023-25194, CVE-2025-27817), and some would break a guarantee.
 */
final class ClientProperty {
    private static final Map<String, ClientProperty> ALLOWED = new TreeMap<>();

    /** Values that are never shown: secrets, and certificates, which are too long. */
    private static final Set<String> UNSHOWN = Set.of(
            "ssl.key.password", "ssl.keystore.key", "ssl.keystore.certificate.chain", "ssl.truststore.certificates");

    private static final Set<String> FOR_EVERY_CLIENT =
            new TreeSet<>(Set.of("client.id", "security.protocol", "ssl.cipher.suites", "ssl.enabled.protocols"));

    static {
        allow("client.id", "letters, digits and ._-, at most 100", matches("[A-Za-z0-9._-]{1,100}"));
        allow("linger.ms", "0..1000", within(0, 1_000));
        allow("batch.size", "1024..16777216", within(1 << 10, 16 << 20));
        allow("max.request.size", "1024..67108864", within(1 << 10, 64 << 20));
        allow("delivery.timeout.ms", "3000..600000", within(3_000, 600_000));
        allow("compression.type", "none, gzip, snappy, lz4 or zstd", matches("none|gzip|snappy|lz4|zstd"));
        allow("max.in.flight.requests.per.connection", "1", matches("1"));
        allow("acks", "all", matches("all|-1"));
        allow("enable.idempotence", "true", matches("true"));
        allow(
                "security.protocol",
                "PLAINTEXT, SSL, SASL_SSL or SASL_PLAINTEXT",
                matches("PLAINTEXT|SSL|SASL_SSL|SASL_PLAINTEXT"));
        allow("ssl.enabled.protocols", "TLSv1.2, TLSv1.3 or both", matches("TLSv1\\.[23](,TLSv1\\.[23])?"));
        allow("ssl.cipher.suites", "names with commas between", matches("[A-Z0-9_]+(,[A-Z0-9_]+)*"));
        allow("ssl.truststore.certificates", "PEM text", ClientProperty::isPem);
        allow("ssl.keystore.certificate.chain", "PEM text", ClientProperty::isPem);
        allow("ssl.keystore.key", "PEM text", ClientProperty::isPem);
        allow("ssl.key.password", "not empty", value -> !value.isEmpty());
        FOR_EVERY_CLIENT.addAll(UNSHOWN);
    }

    private final String wanted;
    private final Predicate<String> isRight;

    private ClientProperty(String wanted, Predicate<String> isRight) {
        this.wanted = wanted;
        this.isRight = isRight;
    }

    /** The value, if it is valid for this property. */
    static String checked(String name, String value) {
        ClientProperty property = ALLOWED.get(name);
        if (property == null) {
            throw PostriderException.refused(
                    "kafka property " + KafkaOptions.shortened(name) + " is not allowed: " + reason(name));
        }
        if (!property.isRight.test(value)) {
            String was = isShown(name) ? ", was '" + KafkaOptions.shortened(value) + "'" : "";
            throw PostriderException.refused("kafka property " + name + " must be " + property.wanted + was);
        }
        return value;
    }

    static boolean isShown(String name) {
        return !UNSHOWN.contains(name);
    }

    static boolean isForEveryClient(String name) {
        return FOR_EVERY_CLIENT.contains(name);
    }

    private static String reason(String name) {
        if (name.equals("bootstrap.servers")) {
            return "the brokers are given to KafkaOptions.at";
        }
        if (name.startsWith("sasl.")) {
            return "a login is given in code, by withLogin, and not in a configuration";
        }
        if (name.endsWith(".location")) {
            return "no file is read for a relay; give certificates and keys as PEM text, such as"
                    + " ssl.truststore.certificates";
        }
        return "allowed are " + String.join(", ", ALLOWED.keySet());
    }

    private static void allow(String name, String wanted, Predicate<String> isRight) {
        ALLOWED.put(name, new ClientProperty(wanted, isRight));
    }

    private static Predicate<String> matches(String pattern) {
        return Pattern.compile(pattern).asMatchPredicate();
    }

    private static Predicate<String> within(int low, int high) {
        return value ->
                value.matches("[0-9]{1,9}") && Integer.parseInt(value) >= low && Integer.parseInt(value) <= high;
    }

    private static boolean isPem(String value) {
        return value.strip().startsWith("-----BEGIN ");
    }
}

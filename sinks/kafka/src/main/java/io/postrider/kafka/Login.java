package io.postrider.kafka;

import io.postrider.PostriderException;
import java.util.Map;

/**
 * User and password, and the JAAS line in which Kafka expects them. That line names a class to load, which has let a
 * configuration run foreign code (CVE-2023-25194). So only this class writes it, from a fixed table, with user and password
 * quoted.
 */
final class Login {
    private static final String SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule";
    private static final Map<String, String> MODULES = Map.of(
            "PLAIN", "org.apache.kafka.common.security.plain.PlainLoginModule",
            "SCRAM-SHA-256", SCRAM,
            "SCRAM-SHA-512", SCRAM);

    private final String mechanism;
    private final String user;
    private final String password;

    private Login(String mechanism, String user, String password) {
        this.mechanism = mechanism;
        this.user = user;
        this.password = password;
    }

    static Login of(String mechanism, String user, String password) {
        if (!MODULES.containsKey(mechanism)) {
            throw PostriderException.refused("login mechanism must be PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512, was '"
                    + KafkaOptions.shortened(mechanism) + "'");
        }
        return new Login(mechanism, plain("user", user), plain("password", password));
    }

    String mechanism() {
        return mechanism;
    }

    /** Stored as a Kafka password type, which Kafka hides when it prints its settings. */
    String jaas() {
        return MODULES.get(mechanism) + " required username=" + quoted(user) + " password=" + quoted(password) + ";";
    }

    private static String quoted(String value) {
        return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** A line break would end the quoted text. The error does not show the value, which may be the password. */
    private static String plain(String what, String value) {
        if (value.isEmpty() || value.chars().anyMatch(Character::isISOControl)) {
            throw PostriderException.refused("login " + what + " must be given and have no control characters");
        }
        return value;
    }

    @Override
    public String toString() {
        return mechanism;
    }
}

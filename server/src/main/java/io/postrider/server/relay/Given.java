package io.postrider.server.relay;

import io.postrider.PostriderException;
import io.postrider.cli.text.Nearest;
import io.postrider.server.settings.Secrets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/**
 * What the settings say of one relay, read by name. What nobody asked for is refused at the end, with the nearest that somebody
 * did: a setting of another type, or a misspelt one. The environment has no dashes, so {@code allowed.hosts} is {@code
 * allowed-hosts}; a list of YAML has its number behind each name.
 */
final class Given {
    private static final String PROPERTIES = "properties.";

    private final String relay;
    private final Map<String, List<String>> values = new HashMap<>();
    private final Map<String, String> properties = new TreeMap<>();
    private final Set<String> known = new TreeSet<>();

    Given(String relay, Map<String, String> settings) {
        this.relay = relay;
        new TreeMap<>(settings).forEach((name, value) -> {
            if (name.startsWith(PROPERTIES)) {
                properties.put(name.substring(PROPERTIES.length()), value);
            } else {
                values.computeIfAbsent(
                                plain(name.replaceFirst("(\\.[0-9]+|\\[[0-9]+])$", "")), key -> new ArrayList<>())
                        .add(value);
            }
        });
    }

    private static String plain(String name) {
        return name.replaceAll("[-._]", "").toLowerCase(Locale.ROOT);
    }

    Optional<String> text(String name) {
        known.add(name);
        List<String> given = values.getOrDefault(plain(name), List.of());
        if (given.size() > 1) {
            throw refused(name, "must be one value");
        }
        return given.stream().filter(value -> !value.isBlank()).findFirst();
    }

    String needed(String name) {
        return text(name).orElseThrow(() -> refused(name, "must be given"));
    }

    /** As it stands, or what the file has that it names. */
    Optional<String> secret(String name) {
        return text(name).map(value -> Secrets.read(key(name), value));
    }

    /** With commas between, or as a list. */
    List<String> texts(String name) {
        known.add(name);
        return values.getOrDefault(plain(name), List.of()).stream()
                .flatMap(value -> Arrays.stream(value.split(",", -1)))
                .map(String::strip)
                .filter(value -> !value.isEmpty())
                .toList();
    }

    Optional<Integer> number(String name) {
        return text(name).map(value -> {
            if (!value.matches("[0-9]{1,9}")) {
                throw refused(name, "must be a number, was '" + value + "'");
            }
            return Integer.valueOf(value);
        });
    }

    Optional<Duration> time(String name) {
        return text(name).map(value -> {
            try {
                return DurationStyle.detectAndParse(value);
            } catch (IllegalArgumentException e) {
                throw refused(name, "must be a time such as 500ms or 10s, was '" + value + "'");
            }
        });
    }

    boolean flag(String name) {
        @Nullable String value = text(name).orElse(null);
        if (value != null && !value.equals("true") && !value.equals("false")) {
            throw refused(name, "must be true or false, was '" + value + "'");
        }
        return "true".equals(value);
    }

    /** What stands under {@code properties.}, for a client that has more settings than we name. */
    Map<String, String> properties() {
        known.add("properties");
        return new LinkedHashMap<>(properties);
    }

    /** Called when everything was read. */
    void refuseOthers() {
        Set<String> plain = new TreeSet<>();
        known.forEach(name -> plain.add(plain(name)));
        for (String name : values.keySet()) {
            if (!plain.contains(name)) {
                throw PostriderException.refused("unknown setting " + key(name) + Nearest.hint(name, known));
            }
        }
        if (!properties.isEmpty() && !known.contains("properties")) {
            throw PostriderException.refused("relay " + relay + " takes no " + key("properties"));
        }
    }

    PostriderException refused(String name, String why) {
        return PostriderException.refused(key(name) + " " + why);
    }

    private String key(String name) {
        return "postrider.relays." + relay + "." + name;
    }
}

package io.postrider.server.relay;

import io.postrider.MessageFormat;
import io.postrider.PostriderException;
import io.postrider.server.settings.Secrets;
import io.postrider.support.Suggestion;
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
 * The settings of one relay, read by name. Settings that were never read, such as one of another type or a misspelt one, are
 * refused at the end, with the nearest known name. Environment variables have no dashes, so {@code allowed.hosts} means {@code
 * allowed-hosts}; the elements of a YAML list have their index after the name.
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

    /** The value itself, or the content of the file that it names. */
    Optional<String> secret(String name) {
        return text(name).map(value -> Secrets.read(key(name), value));
    }

    /** Separated by commas, or a list. */
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

    /** The format of the messages. */
    MessageFormat format() {
        return text("format")
                .map(word -> {
                    try {
                        return MessageFormat.of(word);
                    } catch (PostriderException e) {
                        throw refused("format", String.valueOf(e.getMessage()).replaceFirst("^format ", ""));
                    }
                })
                .orElse(MessageFormat.CLOUD_EVENTS);
    }

    /** The settings under {@code properties.}, for a client that has more settings than we name. */
    Map<String, String> properties() {
        known.add("properties");
        return new LinkedHashMap<>(properties);
    }

    /** Call this after everything was read. */
    void refuseOthers() {
        Set<String> plain = new TreeSet<>();
        known.forEach(name -> plain.add(plain(name)));
        for (String name : values.keySet()) {
            if (!plain.contains(name)) {
                throw PostriderException.refused("unknown setting " + key(name) + Suggestion.hint(name, known));
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

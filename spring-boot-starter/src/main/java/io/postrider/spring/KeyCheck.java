package io.postrider.spring;

import io.postrider.PostriderException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Refuses unknown keys under {@code postrider.}: otherwise a misspelt setting would silently leave the default in place.
 *
 * <p>Environment variables are not checked, because others set them too (Kubernetes gives every container POSTRIDER_PORT=tcp://…
 * for a service of that name). JVM properties under {@code postrider.test.} are the switches of our own tests.
 */
final class KeyCheck {
    private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of("postrider");
    private static final ConfigurationPropertyName TESTS = ConfigurationPropertyName.of("postrider.test");

    private final TreeSet<String> known = new TreeSet<>();
    private final List<Pattern> patterns;

    KeyCheck(Collection<KnownKeys> all) {
        all.forEach(some -> known.addAll(some.keys()));
        patterns = known.stream().map(KeyCheck::pattern).toList();
    }

    void check(Environment environment) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource names
                    && !(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)) {
                names.stream()
                        .filter(name -> OURS.isAncestorOf(name) && !TESTS.isAncestorOf(name))
                        .forEach(this::check);
            }
        }
    }

    private void check(ConfigurationPropertyName name) {
        String key = name.toString();
        if (patterns.stream().noneMatch(one -> one.matcher(squeezed(key)).matches())) {
            throw PostriderException.refused("unknown setting " + key
                    + nearest(key).map(near -> "; did you mean " + near + "?").orElse(""));
        }
    }

    /** Spring Boot treats payloadCap, payload_cap and payload-cap as the same key. */
    private static String squeezed(String key) {
        return key.replace("-", "");
    }

    private static Pattern pattern(String key) {
        StringBuilder regex = new StringBuilder();
        for (String part : squeezed(key).split("(?<=\\*)|(?=\\*)", -1)) {
            regex.append(part.equals("*") ? "*" : Pattern.quote(part));
        }
        String stars = regex.toString().replace("**", ".+").replace("*", "[^.\\[\\]]+");
        return Pattern.compile(stars);
    }

    private Optional<String> nearest(String key) {
        return known.stream()
                .filter(one -> distance(one, key)
                        <= Math.max(2, (key.length() - OURS.toString().length()) / 3))
                .min(Comparator.comparingInt(one -> distance(one, key)));
    }

    /** The number of letters that must change. */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}

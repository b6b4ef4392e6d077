package io.postrider.server;

import io.postrider.PostriderException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Refuses a setting that is present but blank, and names it. A script leaves {@code POSTRIDER_HTTP_BIND=} when one of its
 * variables is missing; one parser reads that as every address, another as this machine. In a file, a blank value also means an
 * empty list, so files are not checked.
 */
final class BlankSettings {
    private static final Pattern OURS = Pattern.compile(
            "postrider\\.(?!test\\.).+|(management\\.)?server\\.(address|port)", Pattern.CASE_INSENSITIVE);

    private BlankSettings() {}

    static void refuse(ConfigurableEnvironment environment) {
        for (PropertySource<?> source : environment.getPropertySources()) {
            boolean isGiven = source.getName().equals(GivenSettings.SOURCE)
                    || source.getName().equals("systemProperties")
                    || source instanceof SystemEnvironmentPropertySource;
            if (isGiven && source instanceof EnumerablePropertySource<?> names) {
                for (String name : names.getPropertyNames()) {
                    refuse(name, names.getProperty(name));
                }
            }
        }
    }

    private static void refuse(String name, @Nullable Object value) {
        if (value != null
                && value.toString().isBlank()
                && OURS.matcher(name.replace('_', '.')).matches()) {
            throw PostriderException.refused(name + " is set and blank; give it a value, or unset it");
        }
    }
}

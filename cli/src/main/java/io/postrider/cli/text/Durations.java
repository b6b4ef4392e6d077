package io.postrider.cli.text;

import io.postrider.PostriderException;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: 500ms, 30s, 5m, 2h, 1d. */
public final class Durations {
    private static final Pattern SPAN = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

    private Durations() {}

    public static Duration parse(String option, String text) {
        Matcher matcher = SPAN.matcher(text);
        if (!matcher.matches()) {
            throw PostriderException.refused(
                    option + " must be a time such as 500ms, 30s, 5m, 2h or 1d, was '" + text + "'");
        }
        long count = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(count);
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            case "h" -> Duration.ofHours(count);
            default -> Duration.ofDays(count);
        };
    }
}

package io.postrider.cli.text;

import java.time.Duration;
import java.time.Instant;

/** How long ago something was. For display only, so the local clock suffices. */
public final class RelativeTime {
    private RelativeTime() {}

    public static String text(Instant time) {
        long seconds = Math.max(0, Duration.between(time, Instant.now()).toSeconds());
        if (seconds < 120) {
            return seconds + " s ago";
        }
        if (seconds < 7_200) {
            return seconds / 60 + " min ago";
        }
        return seconds < 172_800 ? seconds / 3_600 + " h ago" : seconds / 86_400 + " d ago";
    }
}

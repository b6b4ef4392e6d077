package io.postrider.cli;

import java.time.Duration;
import java.time.Instant;

/** How long ago something was. Only for the eye, so that the local clock may be used. */
final class Ago {
    private Ago() {}

    static String text(Instant time) {
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

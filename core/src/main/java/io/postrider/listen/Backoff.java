package io.postrider.listen;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** How long to wait after a failure: the base, doubled for each attempt up to the cap, and anything from half to all of it. */
record Backoff(Duration base, Duration cap) {
    Duration after(int attempt) {
        long most = cap.toMillis();
        long doubled = base.toMillis();
        for (int i = 1; i < attempt && doubled < most; i++) {
            doubled *= 2;
        }
        long wait = Math.max(1, Math.min(doubled, most));
        return Duration.ofMillis(ThreadLocalRandom.current().nextLong(wait / 2, wait + 1));
    }
}

package io.postrider.internal.wake;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The notifications that nodes and producers send. All other payloads are dropped: any role may notify on any channel, and 5,000
 * invented payloads once made 5,000 metric series.
 */
enum Hint {
    /** An event was committed while the sequencer slept. */
    EVENT,
    /** A pass has moved heads. */
    LOG,
    /** An operator has changed something: a pause, a reset, a replay. */
    STEER;

    private final String payload = name().toLowerCase(Locale.ROOT);

    boolean isIn(List<String> received) {
        return received.contains(payload);
    }

    static Set<String> payloads() {
        return Arrays.stream(values()).map(hint -> hint.payload).collect(Collectors.toSet());
    }
}

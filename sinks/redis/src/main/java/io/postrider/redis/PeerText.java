package io.postrider.redis;

import org.jspecify.annotations.Nullable;

/** Text from a Redis server, which may be malicious, for an error message or the log. */
final class PeerText {
    private static final int SHOWN = 200;

    private PeerText() {}

    /** Removes line breaks, control characters, changes of text direction and double quotes, and shortens the text. */
    static String clean(@Nullable String text) {
        String clean = String.valueOf(text)
                .replaceAll("[\\p{C}\\p{Zl}\\p{Zp}\\s]+", " ")
                .replace('"', '\'')
                .strip();
        return clean.codePointCount(0, clean.length()) <= SHOWN
                ? clean
                : clean.substring(0, clean.offsetByCodePoints(0, SHOWN)) + "…";
    }
}

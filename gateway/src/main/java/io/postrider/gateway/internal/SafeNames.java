package io.postrider.gateway.internal;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Syntax of ids and topic names, and safe output of untrusted text. */
public final class SafeNames {
    /** Characters that need no escaping in a URL, a header, a claim or a log line. */
    public static final String ID = "[A-Za-z0-9._:@-]{1,100}";

    /** The same as in core. */
    public static final String TOPIC = "[A-Za-z0-9][A-Za-z0-9._:-]{0,99}";

    private static final Pattern ID_PATTERN = Pattern.compile(ID);
    private static final Pattern TOPIC_PATTERN = Pattern.compile(TOPIC);

    private SafeNames() {}

    public static boolean isId(@Nullable String text) {
        return text != null && ID_PATTERN.matcher(text).matches();
    }

    public static boolean isTopic(@Nullable String text) {
        return text != null && TOPIC_PATTERN.matcher(text).matches();
    }

    /** Shortened, and without control characters or look-alike letters. */
    public static String shown(@Nullable String text) {
        if (text == null) {
            return "";
        }
        String brief = text.length() <= 60 ? text : text.substring(0, 57) + "...";
        return brief.replaceAll("[^\\x20-\\x7e]", "?");
    }
}

package io.postrider.gateway;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What ids and names may look like, and how a stranger's text is shown. */
final class Names {
    /** One alphabet and few signs: an id is the same in a URL, a header, a claim and a line of the log. */
    static final String ID = "[A-Za-z0-9._:@-]{1,100}";

    /** As core has it for topics. */
    static final String TOPIC = "[A-Za-z0-9][A-Za-z0-9._:-]{0,99}";

    private static final Pattern ID_PATTERN = Pattern.compile(ID);
    private static final Pattern TOPIC_PATTERN = Pattern.compile(TOPIC);

    private Names() {}

    static boolean isId(@Nullable String text) {
        return text != null && ID_PATTERN.matcher(text).matches();
    }

    static boolean isTopic(@Nullable String text) {
        return text != null && TOPIC_PATTERN.matcher(text).matches();
    }

    /** Short, and without what would write lines of its own into a log, or be taken for another letter. */
    static String shown(@Nullable String text) {
        if (text == null) {
            return "";
        }
        String brief = text.length() <= 60 ? text : text.substring(0, 57) + "...";
        return brief.replaceAll("[^\\x20-\\x7e]", "?");
    }
}

package io.postrider.server.api;

import io.postrider.admin.Jobs;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A page's place among the jobs of a queue as text for a URL: a position for each priority. */
final class Places {
    private static final Pattern WORD = Pattern.compile("([0-9]{1,18})-([0-9]{1,18})-([0-9]{1,18})");

    private Places() {}

    static String text(Jobs.Cursor place) {
        return place.high() + "-" + place.normal() + "-" + place.low();
    }

    static Jobs.@Nullable Cursor read(@Nullable String word) {
        if (word == null) {
            return null;
        }
        Matcher matcher = WORD.matcher(word);
        if (!matcher.matches()) {
            throw Problem.badRequest(
                    "parameter 'before' must be the value of the field 'before' of a previous page, was '"
                            + Fields.shown(word) + "'");
        }
        return new Jobs.Cursor(
                Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)), Long.parseLong(matcher.group(3)));
    }
}

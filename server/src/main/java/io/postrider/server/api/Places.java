package io.postrider.server.api;

import io.postrider.work.Jobs;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The place of a job among those of its queue as a word that stands in a URL: time, position and priority. */
final class Places {
    private static final Pattern WORD = Pattern.compile("([0-9]{1,17})-([0-9]{1,18})-(high|normal|low)");

    private Places() {}

    static String text(Jobs.Place place) {
        String[] lane = place.topic().split(":", -1);
        return ChronoUnit.MICROS.between(Instant.EPOCH, place.createdAt()) + "-" + place.position() + "-"
                + (lane.length < 3 ? "normal" : lane[2]);
    }

    static Jobs.@Nullable Place read(String queue, @Nullable String word) {
        if (word == null) {
            return null;
        }
        Matcher matcher = WORD.matcher(word);
        if (!matcher.matches()) {
            throw Problem.badRequest(
                    "parameter before must be what an answer has as before, was '" + Fields.shown(word) + "'");
        }
        String lane = matcher.group(3).equals("normal") ? "" : ":" + matcher.group(3);
        return new Jobs.Place(
                Instant.EPOCH.plus(Long.parseLong(matcher.group(1)), ChronoUnit.MICROS),
                "queue:" + queue + lane,
                Long.parseLong(matcher.group(2)));
    }
}

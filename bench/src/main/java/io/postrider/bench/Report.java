package io.postrider.bench;

import java.util.List;
import java.util.stream.Stream;

/**
 * What was measured, on what.
 *
 * @param suite the word behind {@code bench}
 */
record Report(String suite, Scale scale, String server, List<Part> parts) {

    /** One scenario's; its ratios and values are medians of so many rounds. */
    record Part(String scenario, String conditions, int rounds, List<Figure> figures) {}

    Stream<Figure> figures() {
        return parts.stream().flatMap(part -> part.figures().stream());
    }

    static String machine() {
        return Runtime.getRuntime().availableProcessors() + " cores, Java "
                + Runtime.version().feature();
    }
}

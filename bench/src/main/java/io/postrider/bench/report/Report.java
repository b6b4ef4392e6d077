package io.postrider.bench.report;

import io.postrider.bench.Scale;
import java.util.List;
import java.util.stream.Stream;

/**
 * The results and their environment.
 *
 * @param suite the word after {@code bench}
 */
public record Report(String suite, Scale scale, String server, List<Part> parts) {

    /** The results of one scenario; its ratios and values are medians of this many rounds. */
    public record Part(String scenario, String conditions, int rounds, List<Figure> figures) {}

    Stream<Figure> figures() {
        return parts.stream().flatMap(part -> part.figures().stream());
    }

    static String machine() {
        return Runtime.getRuntime().availableProcessors() + " cores, Java "
                + Runtime.version().feature();
    }
}

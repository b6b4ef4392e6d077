package io.postrider.proof.check;

import io.postrider.proof.check.Violation.Kind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Collects violations. The first hundred of each kind are listed and the rest counted: a wrong sequencer is wrong a million
 * times, and nobody reads a million lines.
 */
final class Findings {
    private static final int SPELT_OUT = 100;

    private final List<Violation> violations = new ArrayList<>();
    private final Map<Kind, Integer> counts = new EnumMap<>(Kind.class);

    void add(Kind kind, Supplier<String> detail) {
        if (counts.merge(kind, 1, Integer::sum) <= SPELT_OUT) {
            violations.add(new Violation(kind, detail.get()));
        }
    }

    List<Violation> all() {
        List<Violation> all = new ArrayList<>(violations);
        counts.forEach((kind, count) -> {
            if (count > SPELT_OUT) {
                all.add(new Violation(kind, "… and " + (count - SPELT_OUT) + " more"));
            }
        });
        return List.copyOf(all);
    }
}

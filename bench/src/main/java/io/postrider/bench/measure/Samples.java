package io.postrider.bench.measure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The measurements of each variant, by round. */
public final class Samples<T> {
    private final Map<String, List<T>> byVariant = new LinkedHashMap<>();

    public void add(String variant, T sample) {
        byVariant.computeIfAbsent(variant, v -> new ArrayList<>()).add(sample);
    }

    public List<T> of(String variant) {
        return byVariant.getOrDefault(variant, List.of());
    }

    /** The value of the last round: for counts, which are the same in every round, and for remarks. */
    public T last(String variant) {
        List<T> all = of(variant);
        return all.get(all.size() - 1);
    }

    public int rounds() {
        return byVariant.values().stream().mapToInt(List::size).min().orElse(0);
    }

    /** The median of the rounds. */
    public double median(String variant, ToDoubleFunction<? super T> value) {
        return median(of(variant).stream().mapToDouble(value).toArray());
    }

    /** The median of the rounds' own ratios, because changes between rounds affect both sides. */
    public double ratio(String variant, String base, ToDoubleFunction<? super T> value) {
        List<T> over = of(variant);
        List<T> under = of(base);
        double[] ratios = new double[Math.min(over.size(), under.size())];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = value.applyAsDouble(over.get(i)) / value.applyAsDouble(under.get(i));
        }
        return median(ratios);
    }

    public static double median(double[] values) {
        if (values.length == 0) {
            throw new IllegalStateException("nothing was measured");
        }
        double[] sorted = values.clone();
        java.util.Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}

package io.postrider.bench.measure;

import io.postrider.bench.BenchContext;
import io.postrider.bench.load.Sides;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Lets variants take turns: A B C, then C B A, and so on, after one warm-up turn each that is discarded. */
public final class Rounds {
    private final BenchContext bench;
    private final String what;

    public Rounds(BenchContext bench, String what) {
        this.bench = bench;
        this.what = what;
    }

    /** One turn of one variant. */
    @FunctionalInterface
    public interface Measure<T> {
        T measure() throws Exception;
    }

    public <T> Samples<T> interleave(Map<String, Measure<T>> variants) throws Exception {
        List<String> order = new ArrayList<>(variants.keySet());
        bench.tell(what + ": warm-up");
        long longest = round(variants, order, new Samples<>());
        Samples<T> samples = new Samples<>();
        int rounds = bench.scale().rounds();
        for (int round = 1; round <= rounds; round++) {
            if (round > 1 && !bench.deadline().leaves(longest)) {
                bench.tell(what + ": no time for more than " + (round - 1) + " of " + rounds + " rounds");
                break;
            }
            bench.tell(what + ": round " + round + " of " + rounds);
            Collections.reverse(order);
            longest = Math.max(round == 1 ? 0 : longest, round(variants, order, samples));
        }
        return samples;
    }

    private static <T> long round(Map<String, Measure<T>> variants, List<String> order, Samples<T> samples)
            throws Exception {
        long began = System.nanoTime();
        for (String variant : order) {
            samples.add(variant, Sides.of(variants, variant).measure());
        }
        return System.nanoTime() - began;
    }
}

package io.postrider.bench.report;

import java.util.Locale;

/**
 * The goal of a figure, for its ratio if it has one, otherwise for its value.
 *
 * @param of the quantity that the bound is a multiple of; empty if the bound is absolute
 */
public record Goal(Sense sense, double bound, String of) {
    /** Which side of the bound is good. */
    public enum Sense {
        AT_LEAST(">="),
        AT_MOST("<="),
        BELOW("<");

        private final String sign;

        Sense(String sign) {
            this.sign = sign;
        }
    }

    public static Goal atLeast(double bound, String of) {
        return new Goal(Sense.AT_LEAST, bound, of);
    }

    public static Goal atMost(double bound, String of) {
        return new Goal(Sense.AT_MOST, bound, of);
    }

    public static Goal below(double bound, String of) {
        return new Goal(Sense.BELOW, bound, of);
    }

    boolean isMetBy(double measured) {
        return switch (sense) {
            case AT_LEAST -> measured >= bound;
            case AT_MOST -> measured <= bound;
            case BELOW -> measured < bound;
        };
    }

    /** The relative distance from the bound. */
    String missedBy(double measured) {
        return String.format(Locale.ROOT, "missed by %.1f %%", Math.abs(measured - bound) / bound * 100);
    }

    @Override
    public String toString() {
        return sense.sign + " " + Figure.plain(bound) + (of.isEmpty() ? "" : " x " + of);
    }
}

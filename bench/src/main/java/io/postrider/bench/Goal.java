package io.postrider.bench;

import java.util.Locale;

/**
 * What a figure is measured against: its ratio if it has one, else its value.
 *
 * @param of what the bound is a multiple of; empty if the bound stands for itself
 */
public record Goal(Sense sense, double bound, String of) {
    /** Which side of the bound is the good one. */
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

    static Goal below(double bound, String of) {
        return new Goal(Sense.BELOW, bound, of);
    }

    boolean isMetBy(double measured) {
        return switch (sense) {
            case AT_LEAST -> measured >= bound;
            case AT_MOST -> measured <= bound;
            case BELOW -> measured < bound;
        };
    }

    /** How far off, as a part of the bound. */
    String missedBy(double measured) {
        return String.format(Locale.ROOT, "missed by %.1f %%", Math.abs(measured - bound) / bound * 100);
    }

    @Override
    public String toString() {
        return sense.sign + " " + Figure.plain(bound) + (of.isEmpty() ? "" : " x " + of);
    }
}

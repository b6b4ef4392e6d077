package io.postrider.bench.report;

import java.math.BigDecimal;
import java.math.MathContext;
import org.jspecify.annotations.Nullable;

/**
 * One number of the report.
 *
 * @param ratio the ratio to the quantity that the goal names; null if there is none
 * @param goal null if the figure is informational
 * @param note the conditions, or the limiting factor
 */
public record Figure(
        String name,
        double value,
        String unit,
        @Nullable Double ratio,
        @Nullable Goal goal,
        @Nullable String note) {

    /** An informational figure. */
    public static Figure of(String name, double value, String unit) {
        return new Figure(name, value, unit, null, null, null);
    }

    /** A figure whose ratio must meet a goal. */
    public static Figure of(String name, double value, String unit, double ratio, Goal goal) {
        return new Figure(name, value, unit, ratio, goal, null);
    }

    /** A figure whose value must meet a goal. */
    public static Figure of(String name, double value, String unit, Goal goal) {
        return new Figure(name, value, unit, null, goal, null);
    }

    public Figure withRatio(double newRatio) {
        return new Figure(name, value, unit, newRatio, goal, note);
    }

    public Figure withNote(String newNote) {
        return new Figure(name, value, unit, ratio, goal, newNote);
    }

    /** Null if there is no goal. */
    @Nullable
    public Boolean met() {
        return goal == null ? null : goal.isMetBy(measured());
    }

    /** The note, preceded by how far the goal was missed. */
    @Nullable
    String remark() {
        if (goal == null || goal.isMetBy(measured())) {
            return note;
        }
        String missed = goal.missedBy(measured());
        return note == null ? missed : missed + "; " + note;
    }

    private double measured() {
        return ratio == null ? value : ratio;
    }

    /** Four significant digits, for people and parsers. */
    public static String plain(double number) {
        if (number == 0) {
            return "0";
        }
        BigDecimal exact = BigDecimal.valueOf(number);
        BigDecimal rounded = Math.abs(number) >= 1_000
                ? exact.setScale(0, java.math.RoundingMode.HALF_UP)
                : exact.round(new MathContext(4));
        return rounded.stripTrailingZeros().toPlainString();
    }
}

package io.postrider.internal.settle;

import java.util.Locale;

/** The fate of a claimed job, as {@code settlement} and {@code finish} record it. Rows are written in this order. */
enum SettlementFate {
    /** It is scheduled individually from now on, by a row in {@code delayed}. */
    ASIDE,
    CANCELLED,
    DEAD,
    DONE;

    static SettlementFate of(Outcome outcome) {
        if (outcome instanceof Outcome.Done) {
            return DONE;
        }
        if (outcome instanceof Outcome.Cancelled) {
            return CANCELLED;
        }
        return outcome instanceof Outcome.Dead ? DEAD : ASIDE;
    }

    /** The value of the column {@code fate}. */
    String sql() {
        return name().toLowerCase(Locale.ROOT);
    }
}

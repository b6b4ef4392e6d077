package io.postrider.internal.settle;

import java.util.Locale;

/**
 * Why a job is delayed: scheduled individually from now on, by a row in {@code delayed}. The column {@code why} has three more values
 * that only SQL writes: {@code crash}, of a job whose worker is gone, {@code carried over}, of a job that retention has moved, and
 * {@code replay}, of a dead job that runs again.
 */
public enum DelayReason {
    /** Its time has not come. */
    DUE,
    /** It failed and is to be retried. */
    RETRY,
    /** Its handler asked for another time. */
    SNOOZE,
    /** A service that it depends on is unavailable. */
    UNAVAILABLE,
    /** Its node closes. SQL also writes it for a claim whose answer was lost, and for jobs of a worker that changed its number. */
    RETURNED,
    /** This worker does not handle its type. */
    UNKNOWN,
    /** Its key is taken. */
    KEY;

    /** The value of the column {@code why}. */
    String sql() {
        return name().toLowerCase(Locale.ROOT);
    }
}

package io.postrider.bench;

/** When a part of the run has to be over: rounds are left out rather than that it is passed. */
final class Deadline {
    private final long began;
    private final double seconds;

    private Deadline(long began, double seconds) {
        this.began = began;
        this.seconds = seconds;
    }

    static Deadline none() {
        return new Deadline(System.nanoTime(), Double.POSITIVE_INFINITY);
    }

    /** From the same beginning. */
    Deadline at(double newSeconds) {
        return new Deadline(began, newSeconds);
    }

    double elapsedSeconds() {
        return (System.nanoTime() - began) / 1e9;
    }

    /** Whether something that takes so long would still be over in time. */
    boolean leaves(long nanos) {
        return seconds - elapsedSeconds() > nanos / 1e9;
    }
}

package io.postrider.bench.measure;

/** The deadline for a part of the run: rounds are left out in order to meet it. */
public final class Deadline {
    private final long began;
    private final double seconds;

    private Deadline(long began, double seconds) {
        this.began = began;
        this.seconds = seconds;
    }

    public static Deadline none() {
        return new Deadline(System.nanoTime(), Double.POSITIVE_INFINITY);
    }

    /** Another deadline from the same start. */
    public Deadline at(double newSeconds) {
        return new Deadline(began, newSeconds);
    }

    public double elapsedSeconds() {
        return (System.nanoTime() - began) / 1e9;
    }

    /** Whether something that takes this long would end in time. */
    public boolean leaves(long nanos) {
        return seconds - elapsedSeconds() > nanos / 1e9;
    }
}

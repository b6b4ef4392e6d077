package io.postrider;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** How many times and when a failed job is retried. Immutable. */
public final class RetryPolicy {
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final List<Duration> table;
    private final Duration base;
    private final Duration cap;
    private final int attempts;

    private RetryPolicy(List<Duration> table, Duration base, Duration cap, int attempts) {
        this.table = table;
        this.base = base;
        this.cap = cap;
        this.attempts = attempts;
    }

    /**
     * 25 attempts within about a day: waits start at 1 s and double up to 3 h, each randomised to 50–100 %. The last attempt
     * comes 17 to 35 hours after the first, 26 on average, so an outage of some hours causes no dead letters.
     */
    public static RetryPolicy defaults() {
        return exponential(25, Duration.ofSeconds(1), Duration.ofHours(3));
    }

    /**
     * At most N attempts with exponential backoff: base doubled up to the cap; each wait is randomised to 50–100 % so that
     * retries spread out. Attempts 1..1,000,000, waits 1 ms..36,500 days.
     */
    public static RetryPolicy exponential(int attempts, Duration base, Duration cap) {
        Refuse.outside("attempts", attempts, 1, 1_000_000);
        Refuse.outside("backoff base", base, Duration.ofMillis(1), LONGEST);
        return new RetryPolicy(List.of(), base, Refuse.outside("backoff cap", cap, base, LONGEST), attempts);
    }

    /**
     * One retry after each wait in the table, so one run more than waits: {@code table(30 s, 5 min)} runs a job at once, 30 s after
     * the first failure and 5 min after the second; then the job is dead. Such a table is often written as "0 s, 30 s, 5 min, FAILED",
     * with the wait before each run. Each wait is 0..36,500 days and has no jitter.
     */
    public static RetryPolicy table(Duration... waits) {
        for (Duration wait : waits) {
            Refuse.outside("retry wait", wait, Duration.ZERO, LONGEST);
        }
        return new RetryPolicy(List.of(waits), Duration.ZERO, Duration.ZERO, waits.length + 1);
    }

    /** No retries: a job that fails is dead at once. */
    public static RetryPolicy never() {
        return table();
    }

    /** The maximum number of attempts, including the first. */
    public int attempts() {
        return attempts;
    }

    /** How long to wait after this attempt, counted from 1, has failed; empty if it was the last. */
    public Optional<Duration> after(int attempt) {
        if (attempt >= attempts) {
            return Optional.empty();
        }
        if (!table.isEmpty()) {
            return Optional.of(table.get(attempt - 1));
        }
        return Optional.of(new Backoff(base, cap).jittered(attempt));
    }

    @Override
    public String toString() {
        return table.isEmpty() && attempts > 1
                ? attempts + " attempts, " + base + " doubled up to " + cap
                : attempts + " attempts after " + table;
    }
}

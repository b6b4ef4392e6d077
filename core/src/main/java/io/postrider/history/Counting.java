package io.postrider.history;

import io.postrider.PostriderException;
import java.time.Duration;
import java.time.Instant;

/**
 * What is counted: which events, created when, in what stretches of time and groups. Immutable: each {@code with…} gives a
 * changed copy and refuses bad values by name.
 *
 * @param from inclusive
 * @param to exclusive
 */
public record Counting(Instant from, Instant to, Bucket bucket, By by, Selection of) {
    /** More than a day of minutes, some 80 days of hours, 5 years of days. */
    static final int MOST_BUCKETS = 2_000;

    public Counting {
        if (!from.isBefore(to)) {
            throw PostriderException.refused("from must be before to, was " + from + " and " + to);
        }
        long buckets = Duration.between(from, to).dividedBy(bucket.length()) + 1;
        if (buckets > MOST_BUCKETS) {
            throw PostriderException.refused("from..to must be at most " + MOST_BUCKETS + " buckets of a "
                    + bucket.name().toLowerCase(java.util.Locale.ROOT) + ", was " + buckets
                    + "; take longer buckets or less time");
        }
    }

    /** The length of a stretch. It begins at a full minute, hour or day of UTC. */
    public enum Bucket {
        MINUTE(Duration.ofMinutes(1)),
        HOUR(Duration.ofHours(1)),
        DAY(Duration.ofDays(1));

        private final Duration length;

        Bucket(Duration length) {
            this.length = length;
        }

        public Duration length() {
            return length;
        }
    }

    /** What the groups are. */
    public enum By {
        /** All together. */
        NOTHING("null::text"),
        TYPE("e.event_type"),
        PROJECT("e.project_id"),
        USER("e.user_id");

        private final String column;

        By(String column) {
            this.column = column;
        }

        String column() {
            return column;
        }
    }

    /** Every event of a time, all together, by the day. At most 2,000 days. */
    public static Counting between(Instant from, Instant to) {
        return new Counting(from, to, Bucket.DAY, By.NOTHING, Selection.all());
    }

    /** Default a day. */
    public Counting withBucket(Bucket newBucket) {
        return new Counting(from, to, newBucket, by, of);
    }

    /** Default nothing. */
    public Counting withBy(By newBy) {
        return new Counting(from, to, bucket, newBy, of);
    }

    /** Only these events. Default all in reach. */
    public Counting withSelection(Selection newSelection) {
        return new Counting(from, to, bucket, by, newSelection);
    }
}

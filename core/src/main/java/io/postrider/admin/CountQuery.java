package io.postrider.admin;

import io.postrider.PostriderException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/**
 * Which events to count, in which time range, buckets and groups. Immutable: each {@code with…} method returns a changed copy. A
 * value outside its limits is refused with an exception that names it.
 *
 * @param from inclusive
 * @param to exclusive
 */
public record CountQuery(Instant from, Instant to, Bucket bucket, By by, EventFilter of) {
    /** Enough for more than a day of minutes, about 80 days of hours or 5 years of days. */
    private static final int MOST_BUCKETS = 2_000;

    /** Refuses an empty or reversed time range, and more than 2,000 buckets. */
    public CountQuery {
        if (!from.isBefore(to)) {
            throw PostriderException.refused("from must be before to; from was " + from + ", to was " + to);
        }
        long buckets = Duration.between(from, to).dividedBy(bucket.length()) + 1;
        if (buckets > MOST_BUCKETS) {
            throw PostriderException.refused("the time from..to has " + buckets + " buckets of one "
                    + bucket.name().toLowerCase(Locale.ROOT) + "; the limit is " + MOST_BUCKETS
                    + "; use a longer bucket or a shorter time");
        }
    }

    /** The length of a bucket. It begins at a full minute, hour or day of UTC. */
    public enum Bucket {
        /** One minute. */
        MINUTE(Duration.ofMinutes(1)),
        /** One hour. */
        HOUR(Duration.ofHours(1)),
        /** One day. */
        DAY(Duration.ofDays(1));

        private final Duration length;

        Bucket(Duration length) {
            this.length = length;
        }

        /** How long it is. */
        public Duration length() {
            return length;
        }
    }

    /** How the events are grouped. */
    public enum By {
        /** Not grouped. */
        NOTHING,
        /** By their type. */
        TYPE,
        /** By their project. */
        PROJECT,
        /** By their user. */
        USER
    }

    /** Counts every event created in a time range, ungrouped, in buckets of a day. At most 2,000 days. */
    public static CountQuery between(Instant from, Instant to) {
        return new CountQuery(from, to, Bucket.DAY, By.NOTHING, EventFilter.all());
    }

    /** Sets the length of a bucket. Default: a day. */
    public CountQuery withBucket(Bucket newBucket) {
        return new CountQuery(from, to, newBucket, by, of);
    }

    /** Sets the grouping. Default: none. */
    public CountQuery withBy(By newBy) {
        return new CountQuery(from, to, bucket, newBy, of);
    }

    /** Counts only events that match this filter. Default: all in reach. */
    public CountQuery withSelection(EventFilter newSelection) {
        return new CountQuery(from, to, bucket, by, newSelection);
    }
}

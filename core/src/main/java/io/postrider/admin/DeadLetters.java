package io.postrider.admin;

import io.postrider.Reach;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds, replays and discards dead letters. Thread-safe. */
public interface DeadLetters {
    /**
     * Dead letters that match, oldest first.
     *
     * @param after only those with a larger id; 0: from the first on
     * @param most the largest number of dead letters
     */
    List<DeadLetter> find(Filter filter, long after, int most);

    /** One page of the dead letters in reach, of at most 8 MiB. */
    Page find(Reach reach, Filter filter, long after, int most);

    /**
     * The same with a smaller page.
     *
     * @param bytes the page ends when its payloads have this size; at most 8 MiB
     */
    Page find(Reach reach, Filter filter, long after, int most, long bytes);

    /** The names that dead letters may belong to: listeners, lanes of queues, and removed listeners that left dead letters. */
    List<String> listeners();

    /**
     * Returns dead letters to their listener or queue to be handled again. A job remains a dead letter if its event was deleted or
     * cannot be read, or if another job holds its unique key. Returns how many were replayed.
     */
    int replay(List<Long> ids);

    /** Deletes dead letters. Returns how many were deleted. */
    int discard(List<Long> ids);

    /** Which dead letters to find; null leaves a condition out. The error matches if it contains the text. */
    record Filter(
            @Nullable Long id,
            @Nullable String listener,
            @Nullable String topic,
            @Nullable String type,
            @Nullable String key,
            @Nullable String error) {
        /** Every dead letter. */
        public static Filter all() {
            return new Filter(null, null, null, null, null, null);
        }

        /** The dead letter with this id. */
        public static Filter one(long id) {
            return new Filter(id, null, null, null, null, null);
        }
    }

    /**
     * Some of the dead letters that match.
     *
     * @param more whether others may follow after the last of these
     */
    record Page(List<DeadLetter> letters, boolean more) {}
}

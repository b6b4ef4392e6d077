package io.postrider.proof.history;

/**
 * A value of a key's counter.
 *
 * <p>The load keeps one row per key, {@code marker(key, version)}. A transaction takes the key's lock with
 * {@code update marker set version = version + 1 where key = ? returning version}. So the committed versions of a key are the
 * order in which transactions held its lock, and reading version 7 proves that the holders of 1 to 7 have committed.
 */
public record KeyVersion(String key, long version) {
    /** The version of a key whose lock is not held. */
    public static final long NOT_HELD = 0;
}

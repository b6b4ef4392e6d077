package io.postrider.server.api;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Topics or queues that exist: the settings name them, or they have an event, a listener or a worker. A name that
 * exists is remembered for good, one that does not for a second, so that a client that repeats it costs one lookup a second.
 * Thread-safe.
 */
final class KnownNames {
    private static final long MISSING_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST_MISSING = 1_000;

    /** Longer names are not remembered as missing: a URL has room for 16 KB of them. */
    private static final int LONGEST_MISSING = 250;

    private final Predicate<String> exists;
    private final LongSupplier nanoTime;
    private final Set<String> found = ConcurrentHashMap.newKeySet();

    // Guarded by itself; the oldest comes first.
    private final Map<String, Long> missing = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MOST_MISSING;
        }
    };

    /**
     * Asks this lookup about names that are not remembered.
     *
     * @param nanoTime the clock
     */
    KnownNames(Predicate<String> exists, LongSupplier nanoTime) {
        this.exists = exists;
        this.nanoTime = nanoTime;
    }

    /** A name that is being created: the lookup finds it only after it has a position. */
    void add(String name) {
        found.add(name);
    }

    /** Whether it is known without a lookup that the name exists. */
    boolean isFound(String name) {
        return found.contains(name);
    }

    /** Whether it is known without a lookup that the name did not exist a moment ago. */
    boolean isMissing(String name) {
        synchronized (missing) {
            Long at = missing.get(name);
            return at != null && nanoTime.getAsLong() - at < MISSING_NANOS;
        }
    }

    /** Asks the database. */
    boolean lookUp(String name) {
        if (exists.test(name)) {
            found.add(name);
            return true;
        }
        if (name.length() <= LONGEST_MISSING) {
            synchronized (missing) {
                missing.remove(name); // so that it is the newest
                missing.put(name, nanoTime.getAsLong());
            }
        }
        return false;
    }
}

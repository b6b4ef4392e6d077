package io.postrider.server.api;

import io.postrider.Event;
import io.postrider.gateway.Identity;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Limits the write rate of a caller: a token bucket for each project, and one for each user of a project. A project cannot starve
 * other projects, and a browser cannot use up its project's share. Tokens with reach all are not limited.
 * Counts events and jobs on this node only; one with a large payload counts as several. Thread-safe.
 */
public final class WriteRates {
    private static final int MOST_KNOWN = 100_000;
    private static final double NANOS = 1e9;

    /** 50 events a second with the largest payloads were 13 MB a second of one user. */
    private static final int PAYLOAD_OF_ONE = 16 << 10;

    private final Limit project;
    private final Limit user;
    private final LongSupplier nanoTime;

    /** The least recently used bucket is evicted first: it is full again, or its owner writes under very many names. */
    private final Map<String, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
            return size() > MOST_KNOWN;
        }
    };

    /**
     * A rate limit.
     *
     * @param perSecond sustained rate per second; 0: no limit
     * @param burst maximum number in one burst after an idle time
     */
    public record Limit(int perSecond, int burst) {}

    private static final class Bucket {
        double left;
        long at;

        Bucket(double left, long at) {
            this.left = left;
            this.at = at;
        }
    }

    /** Applies these limits with this clock. */
    public WriteRates(Limit project, Limit user, LongSupplier nanoTime) {
        this.project = project;
        this.user = user;
        this.nanoTime = nanoTime;
    }

    /**
     * Takes one token from the caller's bucket; refused with 429 if it is empty. Call this before parsing a body as JSON, so
     * that malformed bodies are limited too.
     */
    synchronized void take(Identity who) {
        if (who.isOperator()) {
            return;
        }
        if (who.reach() == Identity.Reach.USER) {
            refuseUnlessLeft(user, userName(who), "postrider.api.user-rate");
        }
        if (who.project() != null) {
            refuseUnlessLeft(project, projectName(who), "postrider.api.project-rate");
        }
        takeMore(who, 1);
    }

    /**
     * Takes tokens for the part that is known only after parsing: the rest of a batch, and large payloads. The request is
     * accepted as a whole, into debt if necessary.
     */
    void takeMore(Identity who, List<Event> events) {
        int count = events.size() - 1;
        for (Event event : events) {
            count += event.payload().length() / PAYLOAD_OF_ONE;
        }
        takeMore(who, count);
    }

    private synchronized void takeMore(Identity who, int count) {
        if (who.isOperator()) {
            return;
        }
        if (who.project() != null) {
            spend(project, projectName(who), count);
        }
        if (who.reach() == Identity.Reach.USER) {
            spend(user, userName(who), count);
        }
    }

    private static String projectName(Identity who) {
        return "project " + who.project();
    }

    private static String userName(Identity who) {
        return projectName(who) + " user " + who.subject();
    }

    private void refuseUnlessLeft(Limit limit, String name, String setting) {
        if (limit.perSecond() == 0) {
            return;
        }
        Bucket bucket = refilled(limit, name);
        if (bucket.left < 1) {
            long seconds = Math.max(1, (long) Math.ceil((1 - bucket.left) / limit.perSecond()));
            throw Problem.of(
                            429,
                            "more than " + limit.perSecond() + " events and jobs a second were written by this "
                                    + (limit == user ? "user" : "project"),
                            "Try again after the time in Retry-After; the operator can raise " + setting + ".")
                    .withHeader("Retry-After", Long.toString(seconds));
        }
    }

    private void spend(Limit limit, String name, int count) {
        if (limit.perSecond() > 0) {
            refilled(limit, name).left -= count;
        }
    }

    private Bucket refilled(Limit limit, String name) {
        long now = nanoTime.getAsLong();
        Bucket bucket = buckets.computeIfAbsent(name, key -> new Bucket(limit.burst(), now));
        bucket.left = Math.min(limit.burst(), bucket.left + (now - bucket.at) / NANOS * limit.perSecond());
        bucket.at = now;
        return bucket;
    }
}

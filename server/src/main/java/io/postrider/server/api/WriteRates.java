package io.postrider.server.api;

import io.postrider.gateway.Identity;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * How much one caller may write in a time: a token bucket for each project, and one for each user of a project, so that neither a
 * project takes the log from the others nor a browser its project's share. A token that reaches all is not limited.
 * Counted by event and job on this node alone. Safe to share.
 */
public final class WriteRates {
    private static final int MOST_KNOWN = 100_000;
    private static final double NANOS = 1e9;

    private final Limit project;
    private final Limit user;
    private final LongSupplier nanoTime;

    /** The least recently used is forgotten first: it is full again long since, or its owner writes with very many names. */
    private final Map<String, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
            return size() > MOST_KNOWN;
        }
    };

    /**
     * A limit.
     *
     * @param perSecond how many in a second, in the long run; 0: no limit
     * @param burst how many at once, after a while without any
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

    /** These limits, by this clock. */
    public WriteRates(Limit project, Limit user, LongSupplier nanoTime) {
        this.project = project;
        this.user = user;
        this.nanoTime = nanoTime;
    }

    /** Takes so many from what the caller has left; refused with 429 if that is less. A batch is taken whole, into debt if need be. */
    synchronized void take(Identity who, int count) {
        if (who.isOperator()) {
            return;
        }
        String ofProject = "project " + who.project();
        boolean isUser = who.reach() == Identity.Reach.USER;
        if (isUser) {
            refuseUnlessLeft(user, ofProject + " user " + who.subject(), "postrider.api.user-rate");
        }
        if (who.project() != null) {
            refuseUnlessLeft(project, ofProject, "postrider.api.project-rate");
            spend(project, ofProject, count);
        }
        if (isUser) {
            spend(user, ofProject + " user " + who.subject(), count);
        }
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

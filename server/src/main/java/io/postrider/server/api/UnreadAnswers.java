package io.postrider.server.api;

import io.postrider.gateway.Identity;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Limits the memory of answers that clients have not read yet: in total, half of that for one project, and a quarter for one user.
 * Without it, 150 unread pages of 8 MiB exhausted a heap of 512 MB. An answer of at most 4 KiB is not counted, so small requests
 * work while the limit is reached. Safe to share.
 */
public final class UnreadAnswers {
    private static final int SMALL = 4 * 1024;

    private final long most;

    // Under the lock of this.
    private final Map<String, Long> held = new HashMap<>();
    private long total;

    /** At most this many bytes in total. One answer is always possible, however large. */
    public UnreadAnswers(long most) {
        this.most = most;
    }

    /** Bytes of answers that are not written yet. */
    public synchronized long bytes() {
        return total;
    }

    private record Share(String name, long most) {}

    /** The same route, with its answers counted until they are written. */
    Route count(Route route) {
        return route.with(call -> {
            List<Share> shares = sharesOf(call.who());
            if (!route.hasBody()) {
                refuseFull(shares.get(0)); // before the database is read in vain
            }
            Answer answer = route.handler().answer(call);
            return answer.size() <= SMALL ? answer : hold(answer, shares, !route.hasBody());
        });
    }

    /** The caller's own is the first. */
    private List<Share> sharesOf(Identity who) {
        Share shared = new Share(Readers.nameOf(who), most / 2);
        return who.reach() == Identity.Reach.USER
                ? List.of(new Share("user " + who.subject() + " of " + who.project(), most / 4), shared)
                : List.of(shared);
    }

    private synchronized void refuseFull(Share share) {
        if (held(share) >= share.most()) {
            throw full();
        }
    }

    /** What has been written to the database is answered in any case; {@code api.project-rate} limits that. */
    private synchronized Answer hold(Answer answer, List<Share> shares, boolean mayRefuse) {
        long size = answer.size();
        if (mayRefuse && (!fits(total, size, most) || !shares.stream().allMatch(s -> fits(held(s), size, s.most())))) {
            throw full();
        }
        add(shares, size);
        return answer.whenEnded(() -> add(shares, -size));
    }

    private static boolean fits(long held, long size, long most) {
        return held == 0 || held + size <= most;
    }

    private long held(Share share) {
        return held.getOrDefault(share.name(), 0L);
    }

    private synchronized void add(List<Share> shares, long size) {
        total += size;
        for (Share share : shares) {
            held.merge(share.name(), size, (was, more) -> was + more == 0 ? null : was + more);
        }
    }

    private static Problem full() {
        return Problem.of(
                        503,
                        "too many large answers have not been read by their clients",
                        "Read the answers of your other requests first, or ask for less (limit); try again after the time in"
                                + " Retry-After.")
                .withHeader("Retry-After", "1");
    }
}

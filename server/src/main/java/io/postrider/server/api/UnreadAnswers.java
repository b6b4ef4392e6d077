package io.postrider.server.api;

import io.postrider.gateway.Identity;

/**
 * Limits the memory of answers that clients have not read yet, by {@link MemoryShares}.
 * Without it, 150 unread pages of 8 MiB exhausted a heap of 512 MB. An answer of at most 4 KiB is not counted, so small requests
 * work while the limit is reached. Safe to share.
 */
public final class UnreadAnswers {
    private static final int SMALL = 4 * 1024;

    private final MemoryShares shares;

    /** At most this many bytes in total. A larger answer is possible while no other is unread. */
    public UnreadAnswers(long most) {
        this.shares = new MemoryShares(most);
    }

    /** Bytes of answers that are not written yet. */
    public long bytes() {
        return shares.bytes();
    }

    /** The same route, with its answers counted until they are written. */
    Route count(Route route) {
        return route.with(call -> {
            if (!route.hasBody() && shares.isFull(call.who())) {
                throw full(); // before the database is read in vain
            }
            Answer answer = route.handler().answer(call);
            return answer.size() <= SMALL ? answer : hold(answer, call.who(), !route.hasBody());
        });
    }

    /** What has been written to the database is answered in any case; {@code api.project-rate} limits that. */
    private Answer hold(Answer answer, Identity who, boolean mayRefuse) {
        long size = answer.size();
        if (!mayRefuse) {
            shares.hold(who, size);
        } else if (!shares.tryHold(who, size)) {
            throw full();
        }
        return answer.whenEnded(() -> shares.release(who, size));
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

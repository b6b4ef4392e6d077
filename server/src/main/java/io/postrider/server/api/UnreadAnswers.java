package io.postrider.server.api;

import io.postrider.gateway.Identity;
import java.util.concurrent.TimeUnit;

/**
 * Limits the memory of answers that are being made or that clients have not read yet, by {@link MemoryShares}. Without it, 150
 * unread pages of 8 MiB exhausted a heap of 512 MB, and 24 that were read at once one of 128 MB. A page is made smaller if there is
 * no memory for a larger one. An answer of at most 4 KiB is not counted when it is made, so small requests work while the limit is
 * reached. Safe to share.
 */
public final class UnreadAnswers {
    private static final int SMALL = 4 * 1024;

    /** Payloads and headers of one page. */
    private static final long PAGE = 8 << 20;

    /** The largest payload and headers of one row; the last row of a page may exceed its size by this. */
    private static final long ROW = (256 + 16) * 1024;

    /** The payload as text and in its envelope, both with two bytes a character, and twice as the bytes of the answer. */
    private static final int COPIES = 6;

    /** A page takes milliseconds to be made, so waiting for its memory is better than a refusal. */
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

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
        return route.isPage() ? route.with(call -> page(route, call)) : countWhenMade(route);
    }

    private Route countWhenMade(Route route) {
        return route.with(call -> {
            if (!route.hasBody() && shares.isFull(call.who())) {
                throw full(); // before the database is read in vain
            }
            Answer answer = route.handler().answer(call);
            return answer.size() <= SMALL ? answer : hold(answer, call.who(), !route.hasBody());
        });
    }

    /** Reserves memory for the page before reading it, and keeps the part that its answer needs. */
    private Answer page(Route route, Call call) throws Exception {
        Identity who = call.who();
        long wanted = COPIES * (Math.min(PAGE, call.limit() * ROW) + ROW);
        long taken = shares.take(who, COPIES * 2 * ROW, wanted, WAIT_NANOS);
        if (taken == 0) {
            throw full();
        }
        long kept = 0;
        try {
            Answer answer = route.handler().answer(call.withPageBytes(taken / COPIES - ROW));
            long size = answer.size() <= SMALL ? 0 : answer.size();
            kept = size;
            return answer.whenEnded(() -> shares.release(who, size));
        } finally {
            shares.release(who, taken - kept);
        }
    }

    /** An answer to a completed write is never refused; {@code api.project-rate} limits those. */
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
                        "too many large answers are being made, or have not been read by their clients",
                        "Read the answers of your other requests first, or ask for less (limit); try again after the time in"
                                + " Retry-After.")
                .withHeader("Retry-After", "1");
    }
}

package io.postrider.server.api;

import io.postrider.gateway.Identity;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the memory for parsed request bodies, by {@link MemoryShares}: from parsing their JSON until the answer. A tree
 * takes up to 52 times as many bytes as its text, and a request may wait 5 s for a connection to the database: 150 bodies of 240 KB
 * exhausted a heap of 512 MB. A body of at most 1 KiB is not counted, so small requests work while the limit is reached. Safe to share.
 */
public final class BodyMemory {
    private static final int SMALL = 1024;

    /** Measured: bytes that are allocated for one byte of a long string until the payload is text again. */
    private static final int COPIES_TO_READ = 12;

    /** The payload as text, and as a parameter of a statement. */
    private static final int COPIES_TO_WRITE = 5;

    private final MemoryShares shares;

    /** At most this many bytes in total. */
    public BodyMemory(long most) {
        this.shares = new MemoryShares(most);
    }

    /** Bytes that are held now, by estimate. */
    public long bytes() {
        return shares.bytes();
    }

    /** The same route, with its bodies counted. */
    Route count(Route route) {
        return route.with(call -> {
            byte[] bytes = call.content().bytes();
            if (bytes.length <= SMALL) {
                return route.handler().answer(call);
            }
            Identity who = call.who();
            long written = (long) COPIES_TO_WRITE * bytes.length;
            AtomicLong held = new AtomicLong((long) COPIES_TO_READ * bytes.length + TreeSize.of(bytes));
            if (!shares.tryHold(who, held.get())) {
                throw Problem.of(
                                503,
                                "too many large bodies are being processed",
                                "Send fewer at once, or smaller ones; try again after the time in Retry-After.")
                        .withHeader("Retry-After", "1");
            }
            try {
                Runnable treeDropped = () -> shares.release(who, held.getAndSet(written) - written);
                return route.handler().answer(call.with(new Body(bytes, treeDropped)));
            } finally {
                shares.release(who, held.get());
            }
        });
    }
}

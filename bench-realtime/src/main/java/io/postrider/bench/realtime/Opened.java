package io.postrider.bench.realtime;

import java.util.ArrayDeque;
import java.util.Deque;

/** The resources opened so far, to be closed in reverse order, also if opening the next one fails. */
final class Opened implements AutoCloseable {
    private final Deque<AutoCloseable> all = new ArrayDeque<>();

    <T extends AutoCloseable> T keep(T one) {
        all.push(one);
        return one;
    }

    /** Closes each, even if closing others fails. */
    @Override
    public void close() {
        RuntimeException failed = null;
        while (!all.isEmpty()) {
            try {
                all.pop().close();
            } catch (Exception e) {
                failed = failed == null ? new IllegalStateException("not closed in order", e) : failed;
            }
        }
        if (failed != null) {
            throw failed;
        }
    }
}

package io.postrider.bench.realtime;

import java.util.ArrayDeque;
import java.util.Deque;

/** What has been opened so far, to be closed the other way round, also if the next one does not open. */
final class Opened implements AutoCloseable {
    private final Deque<AutoCloseable> all = new ArrayDeque<>();

    <T extends AutoCloseable> T keep(T one) {
        all.push(one);
        return one;
    }

    /** Each is closed, whatever becomes of the others. */
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

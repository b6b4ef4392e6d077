package io.postrider.internal.listen;

import java.util.function.Supplier;

/**
 * Writes a result also on a thread that was interrupted meanwhile: a pool gives no connection to an interrupted thread. The
 * interrupt is restored afterwards.
 */
final class Uninterrupted {
    private Uninterrupted() {}

    static <T> T run(Supplier<T> work) {
        boolean interrupted = Thread.interrupted();
        try {
            return work.get();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}

package io.postrider.internal.listen;

import io.postrider.internal.log.Heads;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a listener waits for after its step: each wait ends with its signal, and after one second at the latest. A step only says what
 * to wait for; {@link Suspender} waits, without a thread. Used by one step at a time.
 */
final class ListenerWait {
    /** What changes without a signal, such as the loss of the lock, is noticed after this time. */
    static final Duration LONGEST = Duration.ofSeconds(1);

    private final Heads heads;
    private final String topic;
    private @Nullable Wait next;

    ListenerWait(Heads heads, String topic) {
        this.heads = heads;
        this.topic = topic;
    }

    /** The source of the signal that ends a wait. */
    interface Signal {
        /** Calls this once when the signal comes; returns false, and calls nothing, if there is no need to wait. */
        boolean once(Runnable call);

        /** Does not call this any more. */
        void forget(Runnable call);
    }

    /** A wait for a signal, at most this long. */
    record Wait(Signal signal, Duration most) {}

    /** Waits for events after a position, or for a nudge. */
    void forEvents(long after, Duration most) {
        Signal signal = new Signal() {
            @Override
            public boolean once(Runnable call) {
                return heads.onceBeyond(topic, after, call);
            }

            @Override
            public void forget(Runnable call) {
                heads.forget(topic, call);
            }
        };
        next = new Wait(signal, most.compareTo(LONGEST) < 0 ? most : LONGEST);
    }

    /** Waits for a nudge only. */
    void forNudge(Duration most) {
        forEvents(Long.MAX_VALUE, most);
    }

    /** Waits until the listener may run here. */
    void forAssignment(Assignment assignment) {
        next = new Wait(assignment, LONGEST);
    }

    /** What the last step waits for; null if it has more to do. */
    @Nullable
    Wait take() {
        Wait taken = next;
        next = null;
        return taken;
    }
}

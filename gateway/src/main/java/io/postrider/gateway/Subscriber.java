package io.postrider.gateway;

import org.jspecify.annotations.Nullable;

/** A connection at the hub: what its transport takes frames from. */
public final class Subscriber {
    Subscriber() {}

    /** The next frame to be written; null: none now, and {@link Transport#flush} is called when there is. */
    public @Nullable Frame next() {
        throw new UnsupportedOperationException();
    }

    /** The other side is gone, whoever ended it. May be called more than once. */
    public void gone() {
        throw new UnsupportedOperationException();
    }
}

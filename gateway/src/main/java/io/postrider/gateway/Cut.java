package io.postrider.gateway;

import java.util.Locale;

/** Why a stream was ended. The name in lower case is what the client reads. */
public enum Cut {
    /** The other side left, or cannot be reached any more. Nobody is told. */
    GONE(1000),
    /** It did not read as fast as things happened, and its outbox was full. */
    SLOW(4408),
    /** Its token has expired. */
    EXPIRED(4401),
    /** Its token was revoked. */
    REVOKED(4401),
    /** It sent too much. */
    FLOOD(4429),
    /** It sent what nobody may send. */
    REFUSED(4400),
    /** The read model did not catch up, or failed: come back in a while. */
    BEHIND(4503),
    /** The gateway closes, or has to begin anew: come back at once. */
    CLOSING(1001);

    private final int closeCode;

    Cut(int closeCode) {
        this.closeCode = closeCode;
    }

    /** The WebSocket close code. */
    public int closeCode() {
        return closeCode;
    }

    /** As it is written in a {@code cut} frame. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}

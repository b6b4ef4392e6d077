package io.postrider.gateway;

import java.util.Locale;

/** Why a stream was closed. The client receives the name in lower case. */
public enum DisconnectReason {
    /** The client left or is unreachable. It is not notified. */
    GONE(1000),
    /** The connection's send buffer was full, or the client read nothing for the send timeout. */
    SLOW(4408),
    /** Its token has expired. */
    EXPIRED(4401),
    /** Its token was revoked. */
    REVOKED(4401),
    /** The client sent too much. */
    FLOOD(4429),
    /** The client sent a frame that is not allowed. */
    REFUSED(4400),
    /** The read model did not catch up or failed; the client should reconnect later. */
    BEHIND(4503),
    /** The gateway closes or restarts its feed; the client should reconnect at once. */
    CLOSING(1001);

    private final int closeCode;

    DisconnectReason(int closeCode) {
        this.closeCode = closeCode;
    }

    /** The WebSocket close code. */
    public int closeCode() {
        return closeCode;
    }

    /** As written in a {@code cut} frame. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}

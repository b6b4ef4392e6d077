package io.postrider.webhook;

import java.io.IOException;

/**
 * The endpoint accepted the connection but sent no byte of a response in time. Whether the endpoint or the event is the cause is
 * not known yet.
 */
final class Silence extends IOException {
    private static final long serialVersionUID = 1;

    Silence(Throwable cause) {
        super("no answer in time", cause);
    }
}

package io.postrider.webhook;

import java.io.IOException;

/** The endpoint took the connection, and then not one byte of an answer came in time. Whose fault that is, nobody knows yet. */
final class Silence extends IOException {
    private static final long serialVersionUID = 1;

    Silence(Throwable cause) {
        super("no answer in time", cause);
    }
}

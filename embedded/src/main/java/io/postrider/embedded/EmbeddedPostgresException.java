package io.postrider.embedded;

import org.jspecify.annotations.Nullable;

/** The server could not be made, started, stopped or used. The message is one line that says what to do about it. */
public final class EmbeddedPostgresException extends RuntimeException {

    EmbeddedPostgresException(String message) {
        super(message);
    }

    EmbeddedPostgresException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

package io.postrider.embedded;

import org.jspecify.annotations.Nullable;

/** The server could not be created, started, stopped or used. The message is one line and says what to do. */
public final class EmbeddedPostgresException extends RuntimeException {

    EmbeddedPostgresException(String message) {
        super(message);
    }

    EmbeddedPostgresException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

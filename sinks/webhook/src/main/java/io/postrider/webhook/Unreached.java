package io.postrider.webhook;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** There was no response, and not because of a request timeout: the endpoint, the network or DNS is at fault. */
final class Unreached extends IOException {
    private static final long serialVersionUID = 1;

    Unreached(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

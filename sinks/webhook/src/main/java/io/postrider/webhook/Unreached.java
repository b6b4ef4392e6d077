package io.postrider.webhook;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** No answer was got, and not for want of patience with a request: the endpoint, the way to it or its name is at fault. */
final class Unreached extends IOException {
    private static final long serialVersionUID = 1;

    Unreached(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

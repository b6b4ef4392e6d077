package io.postrider.server.http;

import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/** The connection whose event this thread processes. Tomcat does not show it to a valve. */
final class CurrentSocket {
    private static final ThreadLocal<SocketWrapperBase<?>> CURRENT = new ThreadLocal<>();

    private CurrentSocket() {}

    static void set(@Nullable SocketWrapperBase<?> socket) {
        if (socket == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(socket);
        }
    }

    /** Null on a thread that processes no event of a connection. */
    static @Nullable SocketWrapperBase<?> get() {
        return CURRENT.get();
    }
}

package io.postrider.server.http;

import jakarta.servlet.http.HttpServletRequest;
import java.util.regex.Pattern;

/**
 * Whether the Host header of a request names this machine. Another site can point its own name at 127.0.0.1 (DNS rebinding) and
 * read public pages of a server on this machine; the browser still sends that site's name as the host.
 */
public final class LocalHost {
    private static final Pattern NAME =
            Pattern.compile("(?i)(localhost|127(\\.[0-9]{1,3}){3}|\\[::1\\])(:[0-9]{1,5})?");

    private LocalHost() {}

    /** True for localhost and loopback addresses. */
    public static boolean isNamedBy(HttpServletRequest request) {
        String host = request.getHeader("Host");
        return host != null && NAME.matcher(host).matches();
    }
}

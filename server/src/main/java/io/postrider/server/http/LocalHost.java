package io.postrider.server.http;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Whether the Host header of a request names this machine. Another site can point its own name at 127.0.0.1 (DNS rebinding) and
 * read public pages of a server on this machine; the browser still sends that site's name as the host.
 */
public final class LocalHost {
    private static final Pattern NAME =
            Pattern.compile("(?i)(localhost|127(\\.[0-9]{1,3}){3}|\\[::1\\])(:[0-9]{1,5})?");

    /** Headers that proxies add, besides X-Forwarded-*. A proxy on this machine may send {@code Host: localhost}. */
    private static final Set<String> PROXY = Set.of("forwarded", "x-real-ip", "via");

    private LocalHost() {}

    /** True for localhost and loopback addresses, unless a proxy has passed the request on for somebody else. */
    public static boolean isNamedBy(HttpServletRequest request) {
        String host = request.getHeader("Host");
        return host != null && NAME.matcher(host).matches() && !isForwarded(request);
    }

    private static boolean isForwarded(HttpServletRequest request) {
        return Collections.list(request.getHeaderNames()).stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .anyMatch(name -> PROXY.contains(name) || name.startsWith("x-forwarded-"));
    }
}

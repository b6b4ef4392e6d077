package io.postrider.livechat;

import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a request comes from our own page, or from no page. Every caller gets a token here, so a foreign page that
 * is open in the same browser must not be able to call: neither directly, nor by DNS rebinding, where its own name points at
 * this machine (then its origin and the host agree, but the host is not this machine's).
 */
final class Neighbours {
    /** With or without a port. */
    private static final Pattern LOOPBACK =
            Pattern.compile("(localhost|127\\.[0-9.]+|\\[::1])(:[0-9]{1,5})?", Pattern.CASE_INSENSITIVE);

    private Neighbours() {}

    static void refuseForeign(HttpServletRequest request) {
        String host = String.valueOf(request.getHeader("Host"));
        if (isLoopback(request.getLocalAddr()) && !LOOPBACK.matcher(host).matches()) {
            throw Refusal.forbidden("This chat accepts only local requests: open it as localhost or 127.0.0.1.");
        }
        if (!isSame(request.getHeader("Origin"), host)) {
            throw Refusal.forbidden(
                    "Only pages of this chat may call this API; open the chat at the address it was started with.");
        }
    }

    /** Behind a proxy the scheme of the request is unknown, so the scheme of the origin is used. */
    private static boolean isSame(@Nullable String origin, String host) {
        if (origin == null) {
            return true; // not sent by a page
        }
        String lower = origin.toLowerCase(Locale.ROOT);
        String asked = host.toLowerCase(Locale.ROOT);
        return lower.equals("http://" + asked) || lower.equals("https://" + asked);
    }

    /** The address is numeric, so there is no DNS lookup. */
    private static boolean isLoopback(String address) {
        try {
            return InetAddress.getByName(address).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}

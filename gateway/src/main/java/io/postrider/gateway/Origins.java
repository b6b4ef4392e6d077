package io.postrider.gateway;

import io.postrider.PostriderException;
import io.postrider.gateway.internal.SafeNames;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The origins from which a browser may connect. WebSocket has no same-origin policy: any page may open a connection to us, and
 * the browser only reports the page's origin. Origins are compared as a whole, never by prefix or suffix. Immutable.
 *
 * <p>A page is same-origin if its host is the host of the request. The scheme of the request is not known behind a proxy that
 * terminates TLS: the page is {@code https://chat.example.org}, but the request arrives over http. So the scheme of the page is
 * used; but if the request did arrive over https, an http page is refused.
 */
public final class Origins {
    static final Origins NONE = new Origins(Set.of(), false);

    private static final Pattern ORIGIN = Pattern.compile("(https?)://(\\[[0-9a-f:]+]|[a-z0-9.-]+)(:[0-9]{1,5})?");

    private final Set<String> allowed;
    private final boolean sameOrigin;

    private Origins(Set<String> allowed, boolean sameOrigin) {
        this.allowed = allowed;
        this.sameOrigin = sameOrigin;
    }

    /**
     * These origins, each such as {@code https://chat.example.org} or {@code http://localhost:8080}.
     *
     * @param sameOrigin whether to allow pages from the host of the request as well
     */
    public static Origins of(boolean sameOrigin, String... allowed) {
        return new Origins(Arrays.stream(allowed).map(Origins::checked).collect(Collectors.toSet()), sameOrigin);
    }

    private static String checked(String origin) {
        String lower = origin.toLowerCase(Locale.ROOT);
        if (!ORIGIN.matcher(lower).matches()) {
            throw PostriderException.refused(
                    "origins must have the form https://chat.example.org or http://localhost:8080,"
                            + " without a path or a pattern, was '" + SafeNames.shown(origin) + "'");
        }
        return withoutDefaultPort(lower);
    }

    Origins withSameOrigin(boolean newSameOrigin) {
        return new Origins(allowed, newSameOrigin);
    }

    boolean sameOrigin() {
        return sameOrigin;
    }

    /**
     * Whether a request with these headers is allowed. A request without an origin does not come from a page in a browser.
     *
     * @param secure whether the request is known to have arrived over https
     */
    public boolean allows(@Nullable String origin, @Nullable String host, boolean secure) {
        if (origin == null) {
            return true;
        }
        String lower = origin.toLowerCase(Locale.ROOT);
        if (!ORIGIN.matcher(lower).matches()) {
            return false; // includes "null", which every sandboxed page and every local file sends
        }
        return allowed.contains(withoutDefaultPort(lower))
                || (sameOrigin && host != null && isSame(lower, host, secure));
    }

    private static boolean isSame(String origin, String host, boolean secure) {
        if (secure && !origin.startsWith("https:")) {
            return false;
        }
        String scheme = origin.substring(0, origin.indexOf(':'));
        String asked = scheme + "://" + host.toLowerCase(Locale.ROOT);
        return withoutDefaultPort(origin).equals(withoutDefaultPort(asked));
    }

    private static String withoutDefaultPort(String origin) {
        String end = origin.startsWith("https:") ? ":443" : ":80";
        return origin.endsWith(end) ? origin.substring(0, origin.length() - end.length()) : origin;
    }

    @Override
    public String toString() {
        return "origins=" + new TreeSet<>(allowed) + " same_origin=" + sameOrigin;
    }
}

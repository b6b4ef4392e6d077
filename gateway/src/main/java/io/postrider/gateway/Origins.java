package io.postrider.gateway;

import io.postrider.PostriderException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * From which pages a browser may connect. WebSocket knows no same-origin policy: any page anywhere may open one to us, and
 * the browser only says whose page it was. Compared as a whole, never by a prefix or an ending. Immutable.
 *
 * <p>A page is of the same origin as the request if it names the host that was asked for. By which scheme it was asked is not known
 * behind a proxy that ends TLS: there the page is {@code https://chat.example.org} and the request came by http. So the page's own
 * scheme is taken, and only a request that did come by https is not given to a page that did not.
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
     * These, each such as {@code https://chat.example.org} or {@code http://localhost:8080}.
     *
     * @param sameOrigin whether pages from the very host that a request goes to may come too
     */
    public static Origins of(boolean sameOrigin, String... allowed) {
        return new Origins(Arrays.stream(allowed).map(Origins::checked).collect(Collectors.toSet()), sameOrigin);
    }

    private static String checked(String origin) {
        String lower = origin.toLowerCase(Locale.ROOT);
        if (!ORIGIN.matcher(lower).matches()) {
            throw PostriderException.refused("origins must look like https://chat.example.org or http://localhost:8080,"
                    + " without a path or a pattern, was '" + Names.shown(origin) + "'");
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
     * Whether a request with these headers may go on. One without an origin is not from a browser's page.
     *
     * @param secure whether it is known to have come by https
     */
    public boolean allows(@Nullable String origin, @Nullable String host, boolean secure) {
        if (origin == null) {
            return true;
        }
        String lower = origin.toLowerCase(Locale.ROOT);
        if (!ORIGIN.matcher(lower).matches()) {
            return false; // among them "null", which every sandboxed page and every file says of itself
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

package io.postrider.webhook;

import io.postrider.PostriderException;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The destination of a webhook. It is built from an unambiguous URL and returns addresses before every connection. All of these
 * have been checked, and the connection uses exactly them: the name is never resolved again in between, or DNS could return one
 * address for the check and another for the connection.
 */
final class Endpoint {
    /** Resolves a name to addresses; replaced in tests. */
    @FunctionalInterface
    interface Resolver {
        List<InetAddress> addresses(String host) throws UnknownHostException;
    }

    private static final Pattern LABELS =
            Pattern.compile("(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)*([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)");
    private static final Pattern NUMBER = Pattern.compile("[0-9]+|0x[0-9a-f]*");
    private static final Pattern DOTTED =
            Pattern.compile("(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\\.(?!$)|$)){4}");

    private final URI url;
    private final Host host;
    private final int port;
    private final boolean trusted;
    private final Resolver resolver;

    /** @param literal the address, if the host is an address and not a name */
    private record Host(String text, @Nullable InetAddress literal) {}

    private Endpoint(URI url, Host host, int port, boolean trusted, Resolver resolver) {
        this.url = url;
        this.host = host;
        this.port = port;
        this.trusted = trusted;
        this.resolver = resolver;
    }

    /** Refuses a URL that is known to be forbidden now. A name that DNS does not know yet is allowed. */
    static Endpoint of(URI uri, WebhookOptions options, Resolver resolver) {
        URI url = URI.create(uri.toASCIIString());
        String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
        if (!scheme.equals("https") && !scheme.equals("http")) {
            throw PostriderException.refused("endpoint must begin with https://, began with '" + scheme + ":'");
        }
        if (url.getRawUserInfo() != null || url.getRawFragment() != null) {
            throw PostriderException.refused("endpoint must have no user, password or fragment in its URL");
        }
        Host host = host("endpoint", url);
        int port = url.getPort() >= 0 ? url.getPort() : scheme.equals("https") ? 443 : 80;
        boolean named = options.allowedHosts().contains(host.text + ":" + port);
        boolean trusted = named || options.allowedHosts().contains(host.text);
        if (!named && !options.ports().contains(port)) {
            throw PostriderException.refused("port " + port + " of the endpoint is not one of " + options.ports()
                    + "; allow it by withPorts, or host and port by withAllowedHosts(\"" + host.text + ":" + port
                    + "\")");
        }
        if (scheme.equals("http") && !trusted) {
            throw PostriderException.refused("endpoint must begin with https://; plain http is for hosts that are"
                    + " trusted by name: withAllowedHosts(\"" + host.text + "\")");
        }
        Endpoint endpoint = new Endpoint(url, host, port, trusted, resolver);
        endpoint.refuseForbidden();
        return endpoint;
    }

    /** An entry of the list of trusted hosts, in its canonical form. */
    static String allowed(String entry) {
        try {
            URI url = new URI("https://" + entry);
            if (url.getRawAuthority() == null || !url.getRawAuthority().equals(entry) || url.getRawUserInfo() != null) {
                throw PostriderException.refused(
                        "allowed host must be a host or host:port, was '" + Answer.clean(entry) + "'");
            }
            String host = host("allowed host", url).text;
            return url.getPort() < 0 ? host : host + ":" + url.getPort();
        } catch (URISyntaxException e) {
            throw PostriderException.refused(
                    "allowed host must be a host or host:port, was '" + Answer.clean(entry) + "'");
        }
    }

    /** All addresses of the host, each checked. */
    List<InetAddress> addresses() throws Unreached {
        List<InetAddress> found;
        try {
            found = found();
        } catch (UnknownHostException e) {
            throw new Unreached("host " + host.text + " is not known to DNS", e);
        }
        String objection = objection(found);
        if (objection != null) {
            throw new Unreached(objection, null);
        }
        return found;
    }

    boolean isTls() {
        return url.getScheme().equalsIgnoreCase("https");
    }

    /** The name for SNI and for the certificate; an IPv6 address without brackets. */
    String peer() {
        return host.literal == null ? host.text : host.literal.getHostAddress();
    }

    /** SNI is for names only. */
    boolean isName() {
        return host.literal == null;
    }

    int port() {
        return port;
    }

    /** For the Host header. */
    String authority() {
        return port == (isTls() ? 443 : 80) ? host.text : host.text + ":" + port;
    }

    /** Path and query. */
    String target() {
        String path = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        return url.getRawQuery() == null ? path : path + "?" + url.getRawQuery();
    }

    /** Omits path and query: many services keep a token there, and errors with this text reach dead letters and logs. */
    @Override
    public String toString() {
        boolean isRoot = url.getRawQuery() == null
                && (url.getRawPath() == null
                        || url.getRawPath().isEmpty()
                        || url.getRawPath().equals("/"));
        return (isTls() ? "https://" : "http://") + authority() + (isRoot ? "" : "/…");
    }

    private List<InetAddress> found() throws UnknownHostException {
        return host.literal == null ? resolver.addresses(host.text) : List.of(host.literal);
    }

    private void refuseForbidden() {
        try {
            String objection = objection(found());
            if (objection != null) {
                throw PostriderException.refused(objection);
            }
        } catch (UnknownHostException e) {
            // Does not prevent the start, because DNS may be down. It is resolved again before each connection.
            return;
        }
    }

    /**
     * One forbidden address of several is enough: a client picks one by chance, and an attacker who mixes them relies on that.
     */
    private @Nullable String objection(List<InetAddress> found) {
        for (InetAddress address : found) {
            String what = AddressRule.objection(address, trusted);
            if (what != null) {
                return "host " + host.text + " has " + what + " address, " + address.getHostAddress()
                        + ", which is not allowed"
                        + (trusted ? "" : "; to allow it, name the host: withAllowedHosts(\"" + host.text + "\")");
            }
        }
        return null;
    }

    /**
     * A name, four decimal numbers, or an IPv6 address in brackets. Anything else that some resolver accepts as an address
     * (0x7f.1, 2130706433, 0177.0.0.1, 127.1, a zone after a percent sign) is refused.
     */
    private static Host host(String option, URI url) {
        String text = url.getHost() == null ? "" : url.getHost().toLowerCase(Locale.ROOT);
        try {
            if (text.startsWith("[") && text.indexOf('%') < 0) {
                InetAddress literal = InetAddress.getByName(text.substring(1, text.length() - 1));
                return new Host(
                        literal.getAddress().length == 4
                                ? literal.getHostAddress()
                                : "[" + literal.getHostAddress() + "]",
                        literal);
            }
            if (DOTTED.matcher(text).matches()) {
                return new Host(text, InetAddress.getByName(text));
            }
        } catch (UnknownHostException e) {
            throw unreadable(option);
        }
        var labels = LABELS.matcher(text);
        if (text.length() > 253
                || !labels.matches()
                || NUMBER.matcher(labels.group(1)).matches()) {
            throw unreadable(option);
        }
        return new Host(text, null);
    }

    private static PostriderException unreadable(String option) {
        return PostriderException.refused(option + " must have a host that is a name of letters, digits and hyphens,"
                + " an IPv4 address of four decimal numbers or an IPv6 address in brackets");
    }
}

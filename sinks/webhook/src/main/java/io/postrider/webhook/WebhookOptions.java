package io.postrider.webhook;

import io.postrider.PostriderException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** How a webhook is sent. Immutable: each {@code with…} gives a changed copy, and refuses bad values by name. */
public final class WebhookOptions {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofMinutes(5);

    private final List<Secret> secrets;
    private final Duration connectTimeout;
    private final Duration timeout;
    private final Set<String> allowedHosts;
    private final Set<Integer> ports;
    private final @Nullable SSLContext tls;

    private WebhookOptions(Draft draft) {
        this.secrets = draft.secrets;
        this.connectTimeout = within("connect timeout", draft.connectTimeout);
        this.timeout = within("timeout", draft.timeout);
        this.allowedHosts = draft.allowedHosts;
        this.ports = draft.ports;
        this.tls = draft.tls;
    }

    /**
     * Signed with this secret, or with these two: connect 5 s, a request 15 s, https to public addresses on port 443 only.
     *
     * @param secrets each {@code whsec_} and the base64 of 24 to 64 bytes
     */
    public static WebhookOptions signedWith(String... secrets) {
        return new WebhookOptions(new Draft(active(secrets)));
    }

    /** A new secret of 32 random bytes. */
    public static String newSecret() {
        byte[] bytes = new byte[32];
        RANDOM.nextBytes(bytes);
        return Secret.PREFIX + Base64.getEncoder().encodeToString(bytes);
    }

    /**
     * Until a connection can take a request: TCP, and TLS on it. To look up the name takes as long as the operating system's
     * resolver takes. 10 ms..5 min, default 5 s.
     */
    public WebhookOptions withConnectTimeout(Duration most) {
        Draft draft = new Draft(this);
        draft.connectTimeout = most;
        return new WebhookOptions(draft);
    }

    /** From the beginning of a request, connecting included, to the head of its answer. 10 ms..5 min, default 15 s. */
    public WebhookOptions withTimeout(Duration most) {
        Draft draft = new Draft(this);
        draft.timeout = most;
        return new WebhookOptions(draft);
    }

    /**
     * Hosts that are trusted by name: they may have loopback, private and link-local addresses, and may be spoken to by plain
     * http. {@code localhost} trusts the host on the {@linkplain #withPorts usual ports}, {@code localhost:8080} on that port and
     * no other. Default: none.
     */
    public WebhookOptions withAllowedHosts(String... hosts) {
        Draft draft = new Draft(this);
        draft.allowedHosts = new TreeSet<>();
        for (String host : hosts) {
            draft.allowedHosts.add(Endpoint.allowed(host));
        }
        return new WebhookOptions(draft);
    }

    /** The ports that any host may be spoken to on. Default 443 and, of use for trusted hosts only, 80. */
    public WebhookOptions withPorts(int... any) {
        Draft draft = new Draft(this);
        draft.ports = new TreeSet<>();
        for (int port : any) {
            if (port < 1 || port > 65_535) {
                throw PostriderException.refused("ports must be 1..65535, one was " + port);
            }
            draft.ports.add(port);
        }
        return new WebhookOptions(draft);
    }

    /** Which certificates are believed, and which one is shown if the endpoint asks. Default: as the JVM is set up. */
    public WebhookOptions withTls(SSLContext context) {
        Draft draft = new Draft(this);
        draft.tls = context;
        return new WebhookOptions(draft);
    }

    static List<Secret> active(String... secrets) {
        if (secrets.length < 1 || secrets.length > 2) {
            throw PostriderException.refused(
                    "secrets must be 1, or 2 while one takes over from the other, were " + secrets.length);
        }
        return Secret.parse(secrets);
    }

    List<Secret> secrets() {
        return secrets;
    }

    public Duration connectTimeout() {
        return connectTimeout;
    }

    public Duration timeout() {
        return timeout;
    }

    /** As they were given, in lower case. */
    public Set<String> allowedHosts() {
        return Set.copyOf(allowedHosts);
    }

    public Set<Integer> ports() {
        return Set.copyOf(ports);
    }

    @Nullable
    SSLContext tls() {
        return tls;
    }

    /** Every option but the secrets, of which it gives the number. */
    @Override
    public String toString() {
        return "secrets=" + secrets.size() + " connect-timeout=" + connectTimeout + " timeout=" + timeout
                + " allowed-hosts=" + allowedHosts + " ports=" + ports + " tls=" + (tls == null ? "default" : "own");
    }

    private static Duration within(String option, Duration value) {
        if (value.compareTo(SHORTEST) < 0 || value.compareTo(LONGEST) > 0) {
            throw PostriderException.refused(option + " must be " + SHORTEST + ".." + LONGEST + ", was " + value);
        }
        return value;
    }

    /** The options while one of them is being changed. */
    private static final class Draft {
        final List<Secret> secrets;
        Duration connectTimeout = Duration.ofSeconds(5);
        Duration timeout = Duration.ofSeconds(15);
        Set<String> allowedHosts = new TreeSet<>();
        Set<Integer> ports = new TreeSet<>(Arrays.asList(80, 443));

        @Nullable
        SSLContext tls;

        Draft(List<Secret> secrets) {
            this.secrets = secrets;
        }

        Draft(WebhookOptions from) {
            this(from.secrets);
            this.connectTimeout = from.connectTimeout;
            this.timeout = from.timeout;
            this.allowedHosts = from.allowedHosts;
            this.ports = from.ports;
            this.tls = from.tls;
        }
    }
}

package io.postrider.webhook;

import io.postrider.MessageFormat;
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

/**
 * Options of a webhook. Immutable: each {@code with…} returns a changed copy. An invalid value is refused, and the error names the
 * option.
 */
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
    private final MessageFormat format;

    private WebhookOptions(Draft draft) {
        this.secrets = draft.secrets;
        this.connectTimeout = within("connect timeout", draft.connectTimeout);
        this.timeout = within("timeout", draft.timeout);
        this.allowedHosts = draft.allowedHosts;
        this.ports = draft.ports;
        this.tls = draft.tls;
        this.format = draft.format;
    }

    /**
     * Signs with this secret, or with these two. Defaults: 5 s to connect, 15 s per request, https to public addresses on ports
     * 443 and 80.
     *
     * @param secrets each {@code whsec_} followed by the base64 of 24 to 64 bytes
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
     * The connect timeout, for TCP and TLS together. Name resolution is not included and takes as long as the operating system's
     * resolver. 10 ms..5 min, default 5 s.
     */
    public WebhookOptions withConnectTimeout(Duration most) {
        Draft draft = new Draft(this);
        draft.connectTimeout = most;
        return new WebhookOptions(draft);
    }

    /**
     * The timeout from the beginning of a request, including connecting, to the head of its response. 10 ms..5 min, default 15 s.
     */
    public WebhookOptions withTimeout(Duration most) {
        Draft draft = new Draft(this);
        draft.timeout = most;
        return new WebhookOptions(draft);
    }

    /**
     * Hosts that are trusted by name: they may have loopback, private and link-local addresses, and may use plain http.
     * {@code localhost} trusts the host on the {@linkplain #withPorts usual ports}, {@code localhost:8080} only on that port.
     * Default: none.
     */
    public WebhookOptions withAllowedHosts(String... hosts) {
        Draft draft = new Draft(this);
        draft.allowedHosts = new TreeSet<>();
        for (String host : hosts) {
            draft.allowedHosts.add(Endpoint.allowed(host));
        }
        return new WebhookOptions(draft);
    }

    /** The ports that are allowed for any host. Default 443 and 80; the latter is useful for trusted hosts only. */
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

    /** The trusted certificates, and the client certificate if the endpoint requests one. Default: the JVM's settings. */
    public WebhookOptions withTls(SSLContext context) {
        Draft draft = new Draft(this);
        draft.tls = context;
        return new WebhookOptions(draft);
    }

    /**
     * The format of the body. Default CloudEvents. In every format the header {@code webhook-id} is the id of the event, and
     * {@code postrider-topic}, {@code postrider-position} and {@code postrider-type} are headers.
     */
    public WebhookOptions withFormat(MessageFormat newFormat) {
        if (newFormat == null) {
            throw PostriderException.refused("format must be given, was null");
        }
        Draft draft = new Draft(this);
        draft.format = newFormat;
        return new WebhookOptions(draft);
    }

    static List<Secret> active(String... secrets) {
        if (secrets.length < 1 || secrets.length > 2) {
            throw PostriderException.refused("secrets must be 1, or 2 during a rotation, were " + secrets.length);
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

    /** As given, in lower case. */
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

    MessageFormat format() {
        return format;
    }

    /** Every option except the secrets, of which it shows only the number. */
    @Override
    public String toString() {
        return "secrets=" + secrets.size() + " connect-timeout=" + connectTimeout + " timeout=" + timeout
                + " allowed-hosts=" + allowedHosts + " ports=" + ports + " tls=" + (tls == null ? "default" : "own")
                + " format=" + format.word();
    }

    private static Duration within(String option, Duration value) {
        if (value.compareTo(SHORTEST) < 0 || value.compareTo(LONGEST) > 0) {
            throw PostriderException.refused(option + " must be " + SHORTEST.toMillis() + ".." + LONGEST.toMillis()
                    + " ms, was " + value.toMillis() + " ms");
        }
        return value;
    }

    /** A mutable copy of the options, used to change one of them. */
    private static final class Draft {
        final List<Secret> secrets;
        Duration connectTimeout = Duration.ofSeconds(5);
        Duration timeout = Duration.ofSeconds(15);
        Set<String> allowedHosts = new TreeSet<>();
        Set<Integer> ports = new TreeSet<>(Arrays.asList(80, 443));

        @Nullable
        SSLContext tls;

        MessageFormat format = MessageFormat.CLOUD_EVENTS;

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
            this.format = from.format;
        }
    }
}

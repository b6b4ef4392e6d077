package io.postrider.webhook;

import io.postrider.LogEvent;
import io.postrider.MessageFormat;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.RelayEpoch;
import io.postrider.SendResult;
import io.postrider.Sink;
import io.postrider.webhook.Endpoint.Resolver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Sends each event as a signed POST to one endpoint, one at a time. Safe to share among threads; each uses its own connection, so
 * a relay with a concurrency of n has n requests in flight, each for a different key.
 *
 * <p>The endpoint's response decides: 2xx means delivered. 429, 502, 503, 504 and an unreachable endpoint (DNS, connection, TLS,
 * a connection that ends without a response) make the sink unavailable: the relay waits and no event is blamed. Any other status
 * including redirects, and a response that is not HTTP, count as a failure of that event. After a timeout the sink sends a test
 * message: if the endpoint answers it, the event is at fault; if not, the sink is unavailable. Retry-After is respected in all
 * cases.
 *
 * <p>A forbidden host, such as one with a private address that is not trusted by name, is refused when the sink is created. If
 * DNS returns such an address only later, nothing is sent and the sink is unavailable; the event is not refused. No event is at
 * fault, a name that is redirected for a minute must not turn the topic into dead letters, and DNS may recover soon.
 */
public final class WebhookSink implements Sink {
    /** Not used by any event: positions begin at 1. */
    private static final long NO_POSITION = 0;

    private static final String TEST = "postrider.test";

    /**
     * Events are sent one by one. After this time the sink returns, so that the relay can check for a pause and send the rest.
     */
    private static final Duration ENOUGH = Duration.ofSeconds(1);

    private final Endpoint endpoint;
    private final Lines lines;
    private final Clock clock;
    private final MessageFormat format;
    private volatile List<Secret> secrets;

    private WebhookSink(Endpoint endpoint, WebhookOptions options, Clock clock) {
        this.endpoint = endpoint;
        this.lines = new Lines(endpoint, options);
        this.clock = clock;
        this.format = options.format();
        this.secrets = options.secrets();
    }

    /**
     * A sink that posts to this URL. It sends nothing yet, but resolves the name in order to refuse a forbidden host right away.
     *
     * @throws PostriderException of kind REFUSED if the URL is forbidden; the message says what would allow it
     */
    public static WebhookSink to(URI endpoint, WebhookOptions options) {
        return to(endpoint, options, host -> Arrays.asList(InetAddress.getAllByName(host)), Clock.systemUTC());
    }

    static WebhookSink to(URI endpoint, WebhookOptions options, Resolver resolver, Clock clock) {
        return new WebhookSink(Endpoint.of(endpoint, options, resolver), options, clock);
    }

    /**
     * Signs with this secret, or with both, from the next request on. To rotate a secret without losing a message: sign with the
     * new and the old one, switch the receiver to the new one, then sign with the new one alone.
     */
    public void rotate(String... newSecrets) {
        secrets = WebhookOptions.active(newSecrets);
    }

    @Override
    public String describe() {
        return "webhook " + endpoint;
    }

    /** Stops between two requests after one second or on an interrupt; the result includes the events delivered by then. */
    @Override
    public SendResult send(RelayEpoch epoch, List<LogEvent> events) throws InterruptedException {
        long end = System.nanoTime() + ENOUGH.toNanos();
        for (int taken = 0; taken < events.size(); taken++) {
            if (Thread.currentThread().isInterrupted()) {
                if (taken == 0) {
                    throw new InterruptedException("interrupted before the first request");
                }
                return SendResult.unavailable(taken, failure(Kind.FAILED, "interrupted before the next request", null));
            }
            if (taken > 0 && System.nanoTime() - end >= 0) {
                return SendResult.partly(taken);
            }
            SendResult receipt = send(events.get(taken), taken);
            if (!receipt.isWhole()) {
                return receipt;
            }
        }
        return SendResult.whole();
    }

    /**
     * Posts a message of type {@code postrider.test}, at position 0 of a topic of the same name, signed like any other. A
     * consumer that checks the type, as Standard Webhooks requires, ignores it and responds with 2xx.
     */
    @Override
    public String test() {
        long began = System.nanoTime();
        SendResult receipt = send(trial(), 0);
        if (receipt.error() instanceof PostriderException error) {
            throw error;
        }
        return describe() + " took a signed message of type " + TEST + " within "
                + Duration.ofNanos(System.nanoTime() - began).toMillis() + " ms";
    }

    @Override
    public void close() {
        lines.close();
    }

    @Override
    public String toString() {
        return describe();
    }

    private LogEvent trial() {
        return new LogEvent(
                TEST, NO_POSITION, UUID.randomUUID(), TEST, "{}", null, null, null, null, null, "{}", clock.instant());
    }

    private SendResult send(LogEvent event, int taken) {
        try {
            return judge(lines.post(request(event)), taken);
        } catch (Silence e) {
            return event.position() != NO_POSITION && answers()
                    ? SendResult.refused(taken, failure(Kind.FAILED, e.getMessage() + ", though it answers others", e))
                    : SendResult.unavailable(taken, failure(Kind.UNREACHABLE, e.getMessage(), e));
        } catch (Unreached e) {
            return SendResult.unavailable(taken, failure(Kind.UNREACHABLE, e.getMessage(), e));
        } catch (IOException e) {
            return SendResult.refused(taken, failure(Kind.FAILED, e.getMessage(), e));
        }
    }

    /**
     * Whether the endpoint responds to a test message. Only another message can distinguish an endpoint that hangs from an event
     * on which it hangs: otherwise a hanging endpoint would turn all events into dead letters, or one event would block it
     * forever.
     */
    private boolean answers() {
        try {
            return lines.post(request(trial())).status() > 0;
        } catch (IOException e) {
            return false;
        }
    }

    private SendResult judge(Answer answer, int taken) {
        int status = answer.status();
        if (status >= 200 && status < 300) {
            return SendResult.whole();
        }
        Duration retryAfter = answer.retryAfter(clock);
        if (status == 429 || status == 502 || status == 503 || status == 504) {
            return SendResult.unavailable(taken, failure(Kind.UNREACHABLE, said(answer), null), retryAfter);
        }
        return SendResult.refused(taken, failure(Kind.FAILED, said(answer), null), retryAfter);
    }

    private static String said(Answer answer) {
        int status = answer.status();
        if (status >= 300 && status < 400) {
            return "answered " + status + ", a redirect to " + answer.location()
                    + "; redirects are not followed: if the endpoint has moved, change the URL";
        }
        if (status == 410) {
            return "answered 410, gone permanently; pause or remove the relay";
        }
        return "answered " + status + (answer.excerpt().isEmpty() ? "" : ": " + answer.excerpt());
    }

    private PostriderException failure(Kind kind, @Nullable String what, @Nullable Throwable cause) {
        return new PostriderException(kind, describe() + ": " + what, cause);
    }

    /** The body of the request. */
    @Override
    public String message(LogEvent event) {
        return format.text(event);
    }

    /** The timestamp is that of this attempt, so that a late retry is not mistaken for a replayed old message. */
    private byte[] request(LogEvent event) {
        byte[] body = message(event).getBytes(StandardCharsets.UTF_8);
        String id = event.id().toString();
        String timestamp = Long.toString(clock.instant().getEpochSecond());
        byte[] head = String.join(
                        "\r\n",
                        "POST " + endpoint.target() + " HTTP/1.1",
                        "host: " + endpoint.authority(),
                        "user-agent: postrider-webhook",
                        "accept: */*",
                        "content-type: " + format.mediaType(),
                        "content-length: " + body.length,
                        "webhook-id: " + id,
                        "webhook-timestamp: " + timestamp,
                        "webhook-signature: " + Secret.signatures(secrets, id, timestamp, body),
                        "postrider-topic: " + Answer.clean(event.topic()),
                        "postrider-position: " + event.position(),
                        "postrider-type: " + Answer.clean(event.type()),
                        "",
                        "")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] request = Arrays.copyOf(head, head.length + body.length);
        System.arraycopy(body, 0, request, head.length, body.length);
        return request;
    }
}

package io.postrider.webhook;

import io.postrider.Course;
import io.postrider.Envelope;
import io.postrider.LogEvent;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.Receipt;
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
 * Sends each event as a signed POST to one endpoint, one after the other. Safe to share among threads; each uses a connection of
 * its own, so a relay with a concurrency of n has n requests on the way, of n keys.
 *
 * <p>What the endpoint says decides: 2xx is taken. 429, 502, 503, 504, and not being reached at all (DNS, connection, TLS, a
 * connection that ends without an answer), is the endpoint's trouble: the relay waits and no event is blamed. Any other status,
 * a redirect among them, an answer that is not HTTP, and none in time, is taken as said of that event. Retry-After is heard in
 * all cases.
 *
 * <p>A host that must not be sent to, such as one with a private address that is not trusted by name, is refused when the sink
 * is made. If DNS says so later only, nothing is sent and the sink is unavailable, and not the event refused: no event is at
 * fault, a name that is turned for a minute must not make dead letters of the topic, and DNS may be right again soon.
 */
public final class WebhookSink implements Sink {
    /** No event has it: positions begin at 1. */
    private static final long NO_POSITION = 0;

    private static final String TEST = "postrider.test";

    /** Events go one by one: after so long the relay looks whether it is paused, and comes with the rest. */
    private static final Duration ENOUGH = Duration.ofSeconds(1);

    private final Endpoint endpoint;
    private final Lines lines;
    private final Clock clock;
    private volatile List<Secret> secrets;

    private WebhookSink(Endpoint endpoint, WebhookOptions options, Clock clock) {
        this.endpoint = endpoint;
        this.lines = new Lines(endpoint, options);
        this.clock = clock;
        this.secrets = options.secrets();
    }

    /**
     * A sink that posts to this URL. Sends nothing yet; the name is looked up, to refuse now what would be refused later.
     *
     * @throws PostriderException of kind REFUSED if nothing may be sent there; the message says what would allow it
     */
    public static WebhookSink to(URI endpoint, WebhookOptions options) {
        return to(endpoint, options, host -> Arrays.asList(InetAddress.getAllByName(host)), Clock.systemUTC());
    }

    static WebhookSink to(URI endpoint, WebhookOptions options, Resolver resolver, Clock clock) {
        return new WebhookSink(Endpoint.of(endpoint, options, resolver), options, clock);
    }

    /**
     * From the next request on, this secret signs, or these two. To change one without losing a message: the new and the old
     * one; then the receiver takes the new one; then the new one alone.
     */
    public void rotate(String... newSecrets) {
        secrets = WebhookOptions.active(newSecrets);
    }

    @Override
    public String describe() {
        return "webhook " + endpoint;
    }

    /** A second ends it between two requests, and so does an interrupt; what was taken by then is not forgotten. */
    @Override
    public Receipt send(Course course, List<LogEvent> events) throws InterruptedException {
        long end = System.nanoTime() + ENOUGH.toNanos();
        for (int taken = 0; taken < events.size(); taken++) {
            if (Thread.currentThread().isInterrupted()) {
                if (taken == 0) {
                    throw new InterruptedException("interrupted before the first request");
                }
                return Receipt.unavailable(taken, failure(Kind.FAILED, "interrupted before the next request", null));
            }
            if (taken > 0 && System.nanoTime() - end >= 0) {
                return Receipt.partly(taken);
            }
            Receipt receipt = send(events.get(taken), taken);
            if (!receipt.isWhole()) {
                return receipt;
            }
        }
        return Receipt.whole();
    }

    /**
     * Posts a message of type {@code postrider.test}, at position 0 of a topic of the same name, signed like any other. A consumer
     * that looks at the type, as Standard Webhooks wants, does nothing for it and answers 2xx.
     */
    @Override
    public String test() {
        long began = System.nanoTime();
        Receipt receipt = send(trial(), 0);
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

    private Receipt send(LogEvent event, int taken) {
        try {
            return judge(lines.post(request(event)), taken);
        } catch (Silence e) {
            return event.position() != NO_POSITION && answers()
                    ? Receipt.refused(taken, failure(Kind.FAILED, e.getMessage() + ", though it answers others", e))
                    : Receipt.unavailable(taken, failure(Kind.UNREACHABLE, e.getMessage(), e));
        } catch (Unreached e) {
            return Receipt.unavailable(taken, failure(Kind.UNREACHABLE, e.getMessage(), e));
        } catch (IOException e) {
            return Receipt.refused(taken, failure(Kind.FAILED, e.getMessage(), e));
        }
    }

    /**
     * Whether it says anything to a test. An endpoint that hangs is told from an event that it hangs on only by another message:
     * else it would either make dead letters of everything while it hangs, or be stopped for ever by one event.
     */
    private boolean answers() {
        try {
            return lines.post(request(trial())).status() > 0;
        } catch (IOException e) {
            return false;
        }
    }

    private Receipt judge(Answer answer, int taken) {
        int status = answer.status();
        if (status >= 200 && status < 300) {
            return Receipt.whole();
        }
        Duration retryAfter = answer.retryAfter(clock);
        if (status == 429 || status == 502 || status == 503 || status == 504) {
            return Receipt.unavailable(taken, failure(Kind.UNREACHABLE, said(answer), null), retryAfter);
        }
        return Receipt.refused(taken, failure(Kind.FAILED, said(answer), null), retryAfter);
    }

    private static String said(Answer answer) {
        int status = answer.status();
        if (status >= 300 && status < 400) {
            return "answered " + status + ", a redirect to " + answer.location()
                    + "; redirects are not followed: change the endpoint if that is where it is now";
        }
        if (status == 410) {
            return "answered 410: it is gone for good; pause or remove the relay";
        }
        return "answered " + status + (answer.excerpt().isEmpty() ? "" : ": " + answer.excerpt());
    }

    private PostriderException failure(Kind kind, @Nullable String what, @Nullable Throwable cause) {
        return new PostriderException(kind, describe() + ": " + what, cause);
    }

    /** The time is that of this attempt, so that one that comes late is not taken for an old message sent again. */
    private byte[] request(LogEvent event) {
        byte[] body = Envelope.json(event).getBytes(StandardCharsets.UTF_8);
        String id = event.id().toString();
        String timestamp = Long.toString(clock.instant().getEpochSecond());
        byte[] head = String.join(
                        "\r\n",
                        "POST " + endpoint.target() + " HTTP/1.1",
                        "host: " + endpoint.authority(),
                        "user-agent: postrider-webhook",
                        "accept: */*",
                        "content-type: " + Envelope.MEDIA_TYPE,
                        "content-length: " + body.length,
                        "webhook-id: " + id,
                        "webhook-timestamp: " + timestamp,
                        "webhook-signature: " + Secret.signatures(secrets, id, timestamp, body),
                        "postrider-topic: " + Answer.clean(event.topic()),
                        "postrider-position: " + event.position(),
                        "",
                        "")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] request = Arrays.copyOf(head, head.length + body.length);
        System.arraycopy(body, 0, request, head.length, body.length);
        return request;
    }
}

package io.postrider.gateway.internal.inbound;

import io.postrider.gateway.GatewayOptions;
import io.postrider.gateway.Identity;
import io.postrider.gateway.Inbound;
import io.postrider.gateway.Refusal;
import io.postrider.gateway.internal.hub.Threads;
import io.postrider.gateway.internal.limits.ConnectionLimits;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages from clients that wait for the application. Its own threads call the {@link Inbound}, because it may wait for a
 * database and the container's threads must not. Connections take turns, so one with many messages does not delay the others by
 * more than one message each. Safe to share.
 */
public final class InboundMessages implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(InboundMessages.class);

    /** Of one connection; {@code postrider.js} has at most 32 on the way. */
    static final int MOST_OF_ONE = 64;

    /** Of all connections: 16 MB, if all are as large as they may be by default. */
    static final int MOST = 1_000;

    private static final Duration SOON = Duration.ofSeconds(1);

    private final Inbound inbound;
    private final Consumer<Identity> refuseEnded;
    private final MessageRateLimit rate;
    private final ExecutorService threads;
    private final AtomicInteger waiting = new AtomicInteger();

    /** @param refuseEnded throws a {@link Refusal} if a token has expired or was revoked */
    public InboundMessages(Inbound inbound, GatewayOptions options, Consumer<Identity> refuseEnded) {
        this.inbound = inbound;
        this.refuseEnded = refuseEnded;
        this.rate = new MessageRateLimit(options.inboundAtOnce(), options.inboundPerSecond(), System::nanoTime);
        this.threads = Threads.pool("postrider-gateway-inbound", options.inboundThreads());
    }

    /** Where the results of one connection go. Called by any thread. */
    public interface Answers {
        /** The message is durable. */
        void accepted(String id, @Nullable String data);

        void refused(String id, Refusal refusal);
    }

    /** The messages of one connection. */
    public Line open(Answers answers) {
        return new Line(answers);
    }

    /** Messages that are being handled continue; those that wait are dropped, and their clients send them elsewhere. */
    @Override
    public void close() {
        threads.shutdown();
    }

    /** One connection's messages, in order, one at a time. */
    public final class Line {
        private final Answers answers;

        // Guarded by this.
        private final ArrayDeque<Inbound.Message> messages = new ArrayDeque<>();
        private boolean handling;
        private boolean closed;

        private Line(Answers answers) {
            this.answers = answers;
        }

        /** Adds a message, or refuses it at once. Does not block. */
        public void add(Inbound.Message message) {
            try {
                rate.take(ConnectionLimits.Owner.of(message.identity()));
                enqueue(message);
            } catch (Refusal refusal) {
                answers.refused(message.id(), refusal);
            }
        }

        private void enqueue(Inbound.Message message) {
            synchronized (this) {
                if (closed) {
                    return;
                }
                if (messages.size() >= MOST_OF_ONE) {
                    throw Refusal.tooMany(
                            "more than " + MOST_OF_ONE
                                    + " messages of this connection wait; send this one again in a moment",
                            SOON);
                }
                if (waiting.incrementAndGet() > MOST) {
                    waiting.decrementAndGet();
                    throw Refusal.unavailable("too many messages wait; send this one again in a moment", SOON);
                }
                messages.add(message);
                if (handling) {
                    return;
                }
                handling = true;
            }
            threads.execute(this::handleNext);
        }

        private void handleNext() {
            Inbound.Message next;
            synchronized (this) {
                next = messages.poll();
                handling = next != null;
            }
            if (next != null) {
                waiting.decrementAndGet();
                handle(next);
                threads.execute(this::handleNext);
            }
        }

        private void handle(Inbound.Message message) {
            try {
                refuseEnded.accept(message.identity());
                answers.accepted(message.id(), inbound.accept(message));
            } catch (Refusal refusal) {
                answers.refused(message.id(), refusal);
            } catch (Exception | Error e) {
                log.warn("inbound_failed {}", message, e);
                answers.refused(
                        message.id(),
                        Refusal.unavailable("the message could not be stored; send it again in a moment", SOON));
            }
        }

        /** The connection is gone. A message that is being handled may still be stored: then it was sent twice. */
        public synchronized void close() {
            closed = true;
            waiting.addAndGet(-messages.size());
            messages.clear();
        }
    }
}

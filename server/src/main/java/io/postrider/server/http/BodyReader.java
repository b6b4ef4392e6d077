package io.postrider.server.http;

import io.postrider.gateway.Identity;
import io.postrider.server.api.MemoryShares;
import io.postrider.server.api.Problem;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads request bodies without holding a thread while it waits for bytes, each until a deadline and up to a cap. The request is
 * dispatched again when its body is complete, or when reading has failed.
 */
final class BodyReader {
    private static final String OUTCOME = BodyReader.class.getName() + ".outcome";
    private static final String ON_BEGIN = BodyReader.class.getName() + ".onBegin";
    private static final int BUFFER = 8 * 1024;

    private final int cap;
    private final Duration deadline;
    private final MemoryShares held;

    /**
     * Reads bodies of at most {@code cap} bytes each, and at any time no more than each caller's share allows. A body that is complete
     * is counted until its request is answered: it may wait for a worker thread.
     */
    BodyReader(int cap, Duration deadline, MemoryShares held) {
        this.cap = cap;
        this.deadline = deadline;
        this.held = held;
    }

    /** Whether this is the second dispatch of a request, after {@link #begin}. */
    static boolean hasEnded(HttpServletRequest request) {
        return request.getAttribute(OUTCOME) != null;
    }

    /** The body; throws the {@link Problem} if reading failed. Call this once: the request does not keep the body. */
    static byte[] outcome(HttpServletRequest request) {
        if (request.getAttribute(OUTCOME) instanceof byte[] body) {
            request.setAttribute(OUTCOME, new byte[0]);
            return body;
        }
        throw (Problem) request.getAttribute(OUTCOME);
    }

    static boolean hasBody(HttpServletRequest request) {
        return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
    }

    /** An action that runs before a body is read. */
    @FunctionalInterface
    interface Before {
        void run() throws IOException;
    }

    /** Registers an action to run before the body is read. It does not run if the request is refused by its headers. */
    static void onBegin(HttpServletRequest request, Before before) {
        request.setAttribute(ON_BEGIN, before);
    }

    void begin(HttpServletRequest request, Identity who) throws IOException {
        if (request.getAttribute(ON_BEGIN) instanceof Before before) {
            before.run();
        }
        AsyncContext context = request.startAsync();
        context.setTimeout(deadline.toMillis());
        Reading reading = new Reading(request, who, context);
        context.addListener(reading);
        request.getInputStream().setReadListener(reading);
    }

    private static Problem closing(int status, String detail, String next) {
        return Problem.of(status, detail, next).withHeader("Connection", "close");
    }

    /** One body. The container calls it from one thread at a time. */
    private final class Reading implements ReadListener, AsyncListener {
        private final HttpServletRequest request;
        private final Identity who;
        private final AsyncContext context;
        private final ServletInputStream in;
        private final AtomicBoolean ended = new AtomicBoolean();
        private final AtomicLong counted = new AtomicLong();
        private ByteArrayOutputStream body = new ByteArrayOutputStream();

        Reading(HttpServletRequest request, Identity who, AsyncContext context) throws IOException {
            this.request = request;
            this.who = who;
            this.context = context;
            this.in = request.getInputStream();
        }

        @Override
        public void onDataAvailable() throws IOException {
            byte[] buffer = new byte[BUFFER];
            while (!ended.get() && in.isReady()) {
                int count = in.read(buffer);
                if (count < 0) {
                    return;
                }
                if (!held.tryHold(who, count)) {
                    end(closing(
                                    503,
                                    "too many bodies are being read at once",
                                    "Try again after the time in Retry-After.")
                            .withHeader("Retry-After", "1"));
                    return;
                }
                counted.addAndGet(count);
                body.write(buffer, 0, count);
                if (body.size() > cap) {
                    end(Bodies.tooLarge(cap));
                }
            }
        }

        @Override
        public void onAllDataRead() {
            byte[] whole = body.toByteArray();
            body = new ByteArrayOutputStream(0); // this object lives as long as the request
            end(whole);
        }

        /** Answers here and not in a second dispatch: the container closes the connection as soon as this returns. */
        @Override
        public void onError(Throwable e) {
            release();
            if (!ended.compareAndSet(false, true)) {
                return;
            }
            try {
                HttpServletResponse response = (HttpServletResponse) context.getResponse();
                Problems.write(
                        response,
                        closing(
                                400,
                                "the body ended early, or its chunks are malformed",
                                "Send as many bytes as Content-Length or the chunks say."));
                response.flushBuffer();
            } catch (IOException | IllegalStateException gone) {
                // the client is gone
            }
            context.complete();
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            end(closing(
                    408,
                    "the body did not arrive within " + deadline.toSeconds() + " seconds",
                    "Send it faster, or less at once; the operator can raise postrider.http.body-timeout."));
        }

        private void release() {
            held.release(who, counted.getAndSet(0));
        }

        private void end(Object outcome) {
            if (ended.compareAndSet(false, true)) {
                if (outcome instanceof Problem) {
                    body = new ByteArrayOutputStream(0);
                    release();
                }
                request.setAttribute(OUTCOME, outcome);
                context.dispatch();
            }
        }

        @Override
        public void onError(AsyncEvent event) {
            onError(new IOException("the connection is gone"));
        }

        /** Also called if the connection was closed in the meantime. */
        @Override
        public void onComplete(AsyncEvent event) {
            ended.set(true);
            release();
        }

        /** The answer is being written; this listener is not called again. */
        @Override
        public void onStartAsync(AsyncEvent event) {
            release();
        }
    }
}

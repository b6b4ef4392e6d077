package io.postrider.livechat;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads request bodies without a thread that waits for bytes: 215 clients that sent one byte every two seconds stopped the demo, its
 * pages and health checks included. The request is dispatched again when its body is complete, late or too large.
 */
final class Bodies {
    private static final String OUTCOME = Bodies.class.getName();
    private static final long DEADLINE_MILLIS = 5_000;
    private static final long MOST_AT_ONCE = 16 << 20;

    private final AtomicLong held = new AtomicLong();

    /** Whether this is the second dispatch of a request, after {@link #begin}. */
    static boolean hasEnded(HttpServletRequest request) {
        return request.getAttribute(OUTCOME) != null;
    }

    /** The body; empty if none was sent. Throws the {@link Refusal} if it was refused. */
    static byte[] of(HttpServletRequest request) {
        Object outcome = request.getAttribute(OUTCOME);
        if (outcome instanceof Refusal refusal) {
            throw refusal;
        }
        return outcome instanceof byte[] body ? body : new byte[0];
    }

    static boolean isSent(HttpServletRequest request) {
        return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
    }

    /** Reads a body of at most this many bytes. */
    void begin(HttpServletRequest request, int most) throws IOException {
        if (request.getContentLengthLong() > most) {
            throw Refusal.tooLarge(most);
        }
        AsyncContext context = request.startAsync();
        context.setTimeout(DEADLINE_MILLIS);
        Reading reading = new Reading(request, context, most);
        context.addListener(reading);
        request.getInputStream().setReadListener(reading);
    }

    /** One body. The container calls it from one thread at a time. */
    private final class Reading implements ReadListener, AsyncListener {
        private final HttpServletRequest request;
        private final AsyncContext context;
        private final int most;
        private final ServletInputStream in;
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();
        private final AtomicBoolean ended = new AtomicBoolean();

        Reading(HttpServletRequest request, AsyncContext context, int most) throws IOException {
            this.request = request;
            this.context = context;
            this.most = most;
            this.in = request.getInputStream();
        }

        @Override
        public void onDataAvailable() throws IOException {
            byte[] buffer = new byte[4 * 1024];
            while (!ended.get() && in.isReady()) {
                int count = in.read(buffer);
                if (count < 0) {
                    return;
                }
                body.write(buffer, 0, count);
                if (held.addAndGet(count) > MOST_AT_ONCE) {
                    end(Refusal.busy());
                } else if (body.size() > most) {
                    end(Refusal.tooLarge(most));
                }
            }
        }

        @Override
        public void onAllDataRead() {
            end(body.toByteArray());
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            end(Refusal.late(DEADLINE_MILLIS / 1000));
        }

        @Override
        public void onError(Throwable e) {
            if (finish()) {
                context.complete(); // the client is gone, or its chunks are malformed
            }
        }

        @Override
        public void onError(AsyncEvent event) {
            onError(new IOException("the connection is gone"));
        }

        @Override
        public void onComplete(AsyncEvent event) {
            finish();
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            // a body can be read only once
        }

        private boolean finish() {
            boolean first = ended.compareAndSet(false, true);
            if (first) {
                held.addAndGet(-body.size());
            }
            return first;
        }

        private void end(Object outcome) {
            if (finish()) {
                request.setAttribute(OUTCOME, outcome);
                context.dispatch();
            }
        }
    }
}

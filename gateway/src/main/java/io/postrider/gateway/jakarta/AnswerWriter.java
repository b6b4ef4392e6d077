package io.postrider.gateway.jakarta;

import io.postrider.PostriderException;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Writes answers without holding a thread while the client does not read, each until a deadline. With blocking writes, 200 clients
 * that read nothing held all of the container's 200 threads. Needs a servlet with asynchronous support; without it, writes block.
 * Immutable and safe to share.
 */
public final class AnswerWriter {
    /** The deadline unless another one is set. */
    public static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** The container copies what the socket does not take, so this is also the memory of one client that does not read. */
    private static final int SLICE = 8 * 1024;

    private final Duration timeout;

    /** A client must have taken the whole answer within this time, or its connection is closed. */
    public AnswerWriter(Duration timeout) {
        if (timeout.toMillis() < 1) {
            throw PostriderException.refused(
                    "the time for an answer must be at least 1 ms, was " + timeout.toMillis() + " ms");
        }
        this.timeout = timeout;
    }

    /**
     * Writes this body after whatever the response has buffered, and completes the request. Set the status and all headers before,
     * {@code Content-Length} included, and do not use the response afterwards.
     *
     * @param ended called once, when the body is no longer needed: written, or the client is gone or too slow
     */
    public void write(HttpServletRequest request, HttpServletResponse response, byte[] body, Runnable ended)
            throws IOException {
        Writing writing = new Writing(body, request.getMethod().equals("HEAD") ? 0 : body.length, ended);
        try {
            if (request.isAsyncSupported()) {
                writing.begin(request, response, timeout);
            } else {
                response.getOutputStream().write(body, 0, writing.length);
                writing.end();
            }
        } catch (IOException | RuntimeException e) {
            writing.end();
            throw e;
        }
    }

    /**
     * One answer. The container calls it from one thread at a time. At a timeout or an error it does not complete the request: the
     * container then closes the connection, which it must, because a part of the answer is missing.
     */
    private static final class Writing implements WriteListener, AsyncListener {
        private final byte[] body;
        private final int length;
        private final Runnable ended;
        private final AtomicBoolean over = new AtomicBoolean();
        private AsyncContext async;
        private ServletOutputStream out;
        private int written;
        private boolean flushed;

        @SuppressWarnings("NullAway") // begin() sets the others before the container sees this
        Writing(byte[] body, int length, Runnable ended) {
            this.body = body;
            this.length = length;
            this.ended = ended;
        }

        void begin(HttpServletRequest request, HttpServletResponse response, Duration timeout) throws IOException {
            out = response.getOutputStream();
            async = request.startAsync();
            async.setTimeout(timeout.toMillis());
            async.addListener(this);
            out.setWriteListener(this);
        }

        @Override
        public void onWritePossible() throws IOException {
            while (!over.get() && out.isReady()) {
                if (written < length) {
                    int count = Math.min(SLICE, length - written);
                    out.write(body, written, count);
                    written += count;
                } else if (!flushed) {
                    out.flush();
                    flushed = true;
                } else {
                    end();
                    async.complete();
                }
            }
        }

        void end() {
            if (over.compareAndSet(false, true)) {
                ended.run();
            }
        }

        @Override
        public void onError(Throwable error) {
            end();
        }

        @Override
        public void onError(AsyncEvent event) {
            end();
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            end();
        }

        @Override
        public void onComplete(AsyncEvent event) {
            end();
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            // never called: async processing is not restarted
        }
    }
}

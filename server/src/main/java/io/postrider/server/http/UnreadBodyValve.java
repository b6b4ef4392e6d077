package io.postrider.server.http;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;
import org.apache.tomcat.util.net.ApplicationBufferHandler;
import org.jspecify.annotations.Nullable;

/**
 * Closes the connection of a request whose body was not read, instead of reading the rest of it. Tomcat reads up to 2 MB to keep
 * the connection alive, and a client that sends one byte every two seconds then holds a worker thread for days: 210 such clients
 * without a token stopped the server.
 *
 * <p>Bytes that are already on their way are discarded for up to half a second, by a few threads at a time: closing a socket with
 * unread data resets the connection, and an honest client with a wrong token would not see its answer.
 */
public final class UnreadBodyValve extends ValveBase {
    private static final int MOST_PATIENT = 16;
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long MOST_TAKEN = 512 * 1024;

    private final Semaphore patient = new Semaphore(MOST_PATIENT);

    /** Also supports asynchronous requests. */
    public UnreadBodyValve() {
        super(true);
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        getNext().invoke(request, response);
        if (isRead(request)) {
            return;
        }
        if (!request.isAsync()) {
            response.finishResponse(); // before any wait for the rest
            discard(request);
        } else if (response.getCoyoteResponse().getWriteListener() != null) {
            request.getAsyncContext().addListener(new WhenAnswered(request));
        }
    }

    private void discard(Request request) {
        try {
            take(request);
        } catch (IOException e) {
            // the client is gone
        }
        if (!isRead(request)) {
            request.getCoyoteRequest().action(ActionCode.DISABLE_SWALLOW_INPUT, null);
        }
    }

    /** Discards the body after the answer is written. */
    private final class WhenAnswered implements AsyncListener {
        private final Request request;

        WhenAnswered(Request request) {
            this.request = request;
        }

        @Override
        public void onComplete(AsyncEvent event) {
            discard(request);
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            // the connection is closed
        }

        @Override
        public void onError(AsyncEvent event) {
            // the connection is closed
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            // never called: async processing is not restarted
        }
    }

    private static boolean isRead(Request request) {
        AtomicBoolean read = new AtomicBoolean();
        request.getCoyoteRequest().action(ActionCode.REQUEST_BODY_FULLY_READ, read);
        return read.get();
    }

    /** Reads without blocking. Skips chunked bodies, because reading a chunk header may block. */
    private void take(Request request) throws IOException {
        if (request.getContentLengthLong() < 0 || request.getContentLengthLong() > MOST_TAKEN) {
            return;
        }
        boolean mayWait = patient.tryAcquire();
        try {
            long until = System.nanoTime() + PATIENCE_NANOS;
            Discard discard = new Discard();
            while (!isRead(request)) {
                request.getCoyoteRequest().action(ActionCode.AVAILABLE, true);
                if (request.getCoyoteRequest().getAvailable() > 0) {
                    request.getCoyoteRequest().doRead(discard);
                } else if (!mayWait || System.nanoTime() - until >= 0) {
                    return;
                } else {
                    TimeUnit.MILLISECONDS.sleep(5);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (mayWait) {
                patient.release();
            }
        }
    }

    /** Discards the bytes that were read. */
    private static final class Discard implements ApplicationBufferHandler {
        private java.nio.@Nullable ByteBuffer buffer;

        @Override
        public void setByteBuffer(java.nio.@Nullable ByteBuffer given) {
            buffer = given;
        }

        @Override
        public java.nio.@Nullable ByteBuffer getByteBuffer() {
            return buffer;
        }

        @Override
        public void expand(int size) {
            // the bytes are never collected
        }
    }
}

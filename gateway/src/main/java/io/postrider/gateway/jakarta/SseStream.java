package io.postrider.gateway.jakarta;

import io.postrider.gateway.Frame;
import io.postrider.gateway.FrameSource;
import io.postrider.gateway.Gateway;
import io.postrider.gateway.Transport;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One stream of Server-Sent Events, written without blocking.
 *
 * <pre>
 * NEW      the request's own thread has not finished; nothing is written before the container calls onWritePossible().
 * READY    isReady() is true: frames are taken and written, then flushed. isReady() is checked again before each of these.
 * WAITING  isReady() was false: the container calls onWritePossible() when the socket accepts more.
 * ENDING   the cut frame is written; the request is completed when it is flushed.
 * DONE     completed by us, or by the container because the client left or accepts nothing.
 * </pre>
 *
 * <p>The container reuses a response for the next connection as soon as it has reported the end of this one. So that report is
 * blocked while a write is in progress, and nothing is written afterwards: otherwise an error or even a frame of this connection
 * would reach another client. The lock is not held during isReady() and complete(), which take the container's own locks.
 */
final class SseStream implements Transport, WriteListener, AsyncListener {
    private final Gateway.Visit visit;
    private final AsyncContext async;
    private final ServletOutputStream out;
    private final Object writing = new Object();
    private boolean done;
    private volatile @Nullable FrameSource source;
    private volatile boolean begun;

    // Used only by the flushing thread, one at a time.
    private boolean unflushed = true; // the response headers
    private boolean ending;

    SseStream(Gateway.Visit visit, AsyncContext async) throws IOException {
        this.visit = visit;
        this.async = async;
        this.out = async.getResponse().getOutputStream();
    }

    void begin() {
        async.addListener(this);
        source = visit.join(this);
        out.setWriteListener(this);
    }

    @Override
    public Form form() {
        return Form.SSE;
    }

    @Override
    public void onWritePossible() {
        begun = true;
        FrameSource joined = source;
        if (joined != null) {
            joined.writable();
        }
    }

    @Override
    public void flush() {
        FrameSource joined = source;
        if (joined == null || !begun) {
            return;
        }
        try {
            boolean more = true;
            while (more && !isDone() && out.isReady()) {
                more = step(joined);
            }
        } catch (IOException | RuntimeException e) {
            abort(); // the socket is closed, or the container has released it
        }
    }

    /** Writes one frame, or flushes after the last one; false if there is nothing left to do. */
    private boolean step(FrameSource joined) throws IOException {
        synchronized (writing) {
            if (done) {
                return false;
            }
            Frame frame = ending ? null : joined.next();
            if (frame != null) {
                out.write(frame.bytes());
                unflushed = true;
                ending = frame.last() != null;
                return true;
            }
            if (unflushed) {
                out.flush();
                unflushed = false;
                return true;
            }
        }
        if (ending) {
            abort();
        }
        return false;
    }

    private boolean isDone() {
        synchronized (writing) {
            return done;
        }
    }

    /** Ends it; true for the first call. Waits for a write in progress. */
    private boolean end() {
        synchronized (writing) {
            boolean first = !done;
            done = true;
            return first;
        }
    }

    @Override
    public void abort() {
        if (end()) {
            try {
                async.complete();
            } catch (RuntimeException e) {
                // completed by the container in the meantime
            }
            visit.leave();
        }
    }

    @Override
    public void onError(Throwable error) {
        abort();
    }

    @Override
    public void onComplete(AsyncEvent event) {
        end();
        visit.leave();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        abort();
    }

    @Override
    public void onError(AsyncEvent event) {
        abort();
    }

    @Override
    public void onStartAsync(AsyncEvent event) {}
}

package io.postrider.gateway.jakarta;

import io.postrider.gateway.Frame;
import io.postrider.gateway.Gateway;
import io.postrider.gateway.Subscriber;
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
 * NEW      the request's own thread is not through with it; nothing is written before the container calls onWritePossible().
 * READY    isReady() is true: frames are taken and written, then flushed. Between any two of these isReady() is asked again.
 * WAITING  isReady() was false: the container calls onWritePossible() when the socket takes more.
 * ENDING   the cut frame is written; when it is flushed the request is completed.
 * DONE     completed, by us or by the container, which noticed that the other side is gone or takes nothing.
 * </pre>
 *
 * <p>The container uses a response again for the next connection as soon as it has told us that this one is over. So it is not let
 * go while somebody writes, and nobody writes afterwards: otherwise the error of this connection, or even its frame, would come
 * out at another's. Not held meanwhile is what the container itself waits for: isReady() and complete() take its own locks.
 */
final class SseStream implements Transport, WriteListener, AsyncListener {
    private final Gateway.Visit visit;
    private final AsyncContext async;
    private final ServletOutputStream out;
    private final Object writing = new Object();
    private boolean done;
    private volatile @Nullable Subscriber subscriber;
    private volatile boolean begun;

    // Of whoever flushes: one at a time.
    private boolean unflushed = true; // the response's head
    private boolean ending;

    SseStream(Gateway.Visit visit, AsyncContext async) throws IOException {
        this.visit = visit;
        this.async = async;
        this.out = async.getResponse().getOutputStream();
    }

    void begin() {
        async.addListener(this);
        subscriber = visit.join(this);
        out.setWriteListener(this);
    }

    @Override
    public Form form() {
        return Form.SSE;
    }

    @Override
    public void onWritePossible() {
        begun = true;
        Subscriber joined = subscriber;
        if (joined != null) {
            joined.writable();
        }
    }

    @Override
    public void flush() {
        Subscriber joined = subscriber;
        if (joined == null || !begun) {
            return;
        }
        try {
            boolean more = true;
            while (more && !isDone() && out.isReady()) {
                more = step(joined);
            }
        } catch (IOException | RuntimeException e) {
            abort(); // the socket is gone, or the container has let go of it
        }
    }

    /** One frame, or the flush after the last one; false if nothing is left to do. */
    private boolean step(Subscriber joined) throws IOException {
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

    /** Whether it was not over before. Waits for who writes. */
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
                // completed by the container meanwhile
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

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
import java.util.concurrent.atomic.AtomicBoolean;
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
 */
final class SseStream implements Transport, WriteListener, AsyncListener {
    private final Gateway.Visit visit;
    private final AsyncContext async;
    private final ServletOutputStream out;
    private final AtomicBoolean done = new AtomicBoolean();
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
        if (joined == null || !begun || done.get()) {
            return;
        }
        try {
            while (out.isReady()) {
                Frame frame = ending ? null : joined.next();
                if (frame != null) {
                    out.write(frame.bytes());
                    unflushed = true;
                    ending = frame.last() != null;
                } else if (unflushed) {
                    out.flush();
                    unflushed = false;
                } else {
                    completeIfEnding();
                    return;
                }
            }
        } catch (IOException | RuntimeException e) {
            abort(); // the socket is gone, or the container has let go of it
        }
    }

    private void completeIfEnding() {
        if (ending) {
            abort();
        }
    }

    @Override
    public void abort() {
        if (done.compareAndSet(false, true)) {
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
        done.set(true);
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

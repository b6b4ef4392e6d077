package io.postrider.server.http;

import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.apache.coyote.Processor;
import org.apache.tomcat.util.net.AbstractEndpoint.Handler;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/**
 * Gives each request head a deadline. Tomcat's own timeout counts from the last byte, so a client that sends one byte every nine
 * seconds kept its connection forever. After each piece of a head that is not complete, the timeout of the connection is set to
 * the time that is left, and Tomcat closes the connection then. A piece that comes too late closes it as well: Tomcat checks
 * timeouts once a second, and skips connections that have just been read.
 *
 * <p>Tomcat calls {@link #process} for one connection from one thread at a time.
 */
final class HeadDeadline implements Handler<NioChannel> {
    private final Handler<NioChannel> tomcat;
    private final Supplier<Duration> limit;
    private final IntSupplier silence;
    private final Consumer<SocketChannel> closed;

    private final ConcurrentMap<SocketWrapperBase<NioChannel>, Head> heads = new ConcurrentHashMap<>();

    /**
     * The head that a connection is sending.
     *
     * @param began when, as of {@link System#nanoTime}; null if it is complete and not answered yet
     * @param written when the server last wrote to the connection: a later time means that a request was answered
     */
    private record Head(@Nullable Long began, long written) {}

    /**
     * Around Tomcat's handler.
     *
     * @param limit time within which a whole head must arrive
     * @param silence Tomcat's timeout between two bytes, in milliseconds
     * @param closed called for each connection that ends
     */
    HeadDeadline(
            Handler<NioChannel> tomcat, Supplier<Duration> limit, IntSupplier silence, Consumer<SocketChannel> closed) {
        this.tomcat = tomcat;
        this.limit = limit;
        this.silence = silence;
        this.closed = closed;
    }

    @Override
    public SocketState process(SocketWrapperBase<NioChannel> socket, SocketEvent event) {
        long now = System.nanoTime();
        Head head = heads.remove(socket);
        if (head != null && head.began != null) {
            socket.setReadTimeout(silence.getAsInt()); // of a body, if one follows
        }
        long written = head == null ? lastWrite(socket) : head.written;
        SocketState state = processAsCurrent(socket, event);
        if (socket.isClosed() || state == SocketState.CLOSED) {
            return state;
        }
        if (!awaitsHead(socket, state)) {
            remember(socket, new Head(null, written)); // the answer comes later, from another thread
            return state;
        }
        boolean answered = lastWrite(socket) != written;
        if (answered && state == SocketState.OPEN) {
            return state;
        }
        // Also after empty lines before a request, which Tomcat reads and then says OPEN.
        long began = head == null || head.began == null ? now : head.began;
        if (answered) {
            began = System.nanoTime(); // sent behind the last request without waiting for its answer
        }
        long left = limit.get().toNanos() - (System.nanoTime() - began);
        if (left <= 0) {
            return tomcat.process(socket, SocketEvent.ERROR); // closes it
        }
        remember(socket, new Head(began, lastWrite(socket)));
        if (state == SocketState.LONG) {
            socket.setReadTimeout(Math.max(1, left / 1_000_000));
        }
        return state;
    }

    private SocketState processAsCurrent(SocketWrapperBase<NioChannel> socket, SocketEvent event) {
        CurrentSocket.set(socket);
        try {
            return tomcat.process(socket, event);
        } finally {
            CurrentSocket.set(null);
        }
    }

    private void remember(SocketWrapperBase<NioChannel> socket, Head head) {
        heads.put(socket, head);
        if (socket.isClosed()) {
            heads.remove(socket); // released before the entry was there
        }
    }

    /** OPEN: between two requests. LONG: within a head, or within a request that is asynchronous. */
    private static boolean awaitsHead(SocketWrapperBase<NioChannel> socket, SocketState state) {
        return state == SocketState.OPEN
                || (state == SocketState.LONG
                        && socket.getCurrentProcessor() instanceof Processor processor
                        && !processor.isAsync()
                        && !processor.isUpgrade());
    }

    private static long lastWrite(SocketWrapperBase<NioChannel> socket) {
        return socket instanceof NioSocketWrapper nio ? nio.getLastWrite() : 0;
    }

    @Override
    public void release(SocketWrapperBase<NioChannel> socket) {
        heads.remove(socket);
        closed.accept(socket.getSocket().getIOChannel());
        tomcat.release(socket);
    }

    @Override
    public Object getGlobal() {
        return tomcat.getGlobal();
    }

    @Override
    public void pause() {
        tomcat.pause();
    }

    @Override
    public void recycle() {
        tomcat.recycle();
    }
}

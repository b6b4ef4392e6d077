package io.postrider.server.http;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.apache.coyote.Processor;
import org.apache.tomcat.util.net.AbstractEndpoint.Handler;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many workers read WebSockets at once, so that HTTP requests always find one. Further WebSockets with data wait in
 * order, without a worker.
 */
final class SocketReaders implements Handler<NioChannel> {
    private final Handler<NioChannel> tomcat;
    private final IntSupplier most;
    private final Predicate<SocketWrapperBase<NioChannel>> dispatch;

    // Guarded by this.
    private final Set<SocketWrapperBase<NioChannel>> waiting = new LinkedHashSet<>();
    private int reading;

    /**
     * Around Tomcat's handler.
     *
     * @param most maximum number of workers
     * @param dispatch has a worker read a WebSocket; false if that is not possible
     */
    SocketReaders(Handler<NioChannel> tomcat, IntSupplier most, Predicate<SocketWrapperBase<NioChannel>> dispatch) {
        this.tomcat = tomcat;
        this.most = most;
        this.dispatch = dispatch;
    }

    @Override
    public SocketState process(SocketWrapperBase<NioChannel> socket, SocketEvent event) {
        if (event != SocketEvent.OPEN_READ || !isUpgraded(socket)) {
            return tomcat.process(socket, event);
        }
        if (!begin(socket)) {
            return SocketState.SUSPENDED; // not polled again until it is dispatched
        }
        try {
            return tomcat.process(socket, event);
        } finally {
            end();
        }
    }

    private static boolean isUpgraded(SocketWrapperBase<NioChannel> socket) {
        return socket.getCurrentProcessor() instanceof Processor processor && processor.isUpgrade();
    }

    private synchronized boolean begin(SocketWrapperBase<NioChannel> socket) {
        if (reading >= Math.max(1, most.getAsInt())) {
            waiting.add(socket);
            return false;
        }
        waiting.remove(socket);
        reading++;
        return true;
    }

    /** Each reader that ends dispatches a waiting one. If all workers are taken again by then, one of those does so later. */
    private void end() {
        SocketWrapperBase<NioChannel> next;
        synchronized (this) {
            reading--;
            next = first();
        }
        while (next != null && !dispatch.test(next)) {
            next.close();
            next = first();
        }
    }

    private synchronized @Nullable SocketWrapperBase<NioChannel> first() {
        Iterator<SocketWrapperBase<NioChannel>> sockets = waiting.iterator();
        if (!sockets.hasNext()) {
            return null;
        }
        SocketWrapperBase<NioChannel> socket = sockets.next();
        sockets.remove();
        return socket;
    }

    @Override
    public void release(SocketWrapperBase<NioChannel> socket) {
        synchronized (this) {
            waiting.remove(socket);
        }
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

package io.postrider.server.http;

import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.SocketEvent;

/** Accepts connections within the share of their address, and tracks them until they end. */
final class LimitedEndpoint extends NioEndpoint {
    private static final int SOCKET_READERS = 50;

    private final AddressShares shares = new AddressShares();
    private volatile Duration headTimeout = Duration.ofSeconds(10);
    private volatile int perAddress;

    void limit(Duration newHeadTimeout, int newPerAddress) {
        headTimeout = newHeadTimeout;
        perAddress = newPerAddress;
    }

    /** Called by the protocol's constructor. */
    @Override
    public void setHandler(Handler<NioChannel> handler) {
        SocketReaders readers = new SocketReaders(
                handler, this::socketReaders, socket -> processSocket(socket, SocketEvent.OPEN_READ, true));
        super.setHandler(new HeadDeadline(readers, () -> headTimeout, this::getConnectionTimeout, shares::release));
    }

    /** The number of workers is unknown if the application provides the executor. */
    private int socketReaders() {
        int workers = getMaxThreads();
        return workers < 0 ? SOCKET_READERS : workers / 4;
    }

    /** A WebSocket over TLS is limited by the gateway only: the server is not meant to terminate TLS. */
    @Override
    protected NioChannel createChannel(SocketBufferHandler buffers) {
        return isSSLEnabled() ? super.createChannel(buffers) : new LimitedChannel(buffers);
    }

    /** Tomcat has already counted the connection here, and destroys it if this returns false. */
    @Override
    protected boolean setSocketOptions(SocketChannel socket) {
        int most = getMaxConnections();
        long free = most < 0 ? Integer.MAX_VALUE : most - getConnectionCount();
        if (!shares.take(socket, free, perAddress)) {
            destroySocket(socket);
            return false;
        }
        boolean begun = super.setSocketOptions(socket);
        if (!begun) {
            shares.release(socket);
        }
        return begun;
    }
}

package io.postrider.server.http;

import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;

/** Accepts connections within the share of their address, and sees what becomes of them. */
final class LimitedEndpoint extends NioEndpoint {
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
        super.setHandler(new HeadDeadline(handler, () -> headTimeout, this::getConnectionTimeout, shares::release));
    }

    /** The connection is already counted by Tomcat here. Tomcat destroys it if the answer is false. */
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

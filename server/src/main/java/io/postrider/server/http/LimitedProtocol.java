package io.postrider.server.http;

import java.time.Duration;
import org.apache.coyote.Processor;
import org.apache.coyote.UpgradeToken;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.coyote.http11.upgrade.InternalHttpUpgradeHandler;
import org.apache.tomcat.util.net.SocketWrapperBase;

/**
 * HTTP/1.1 as Tomcat speaks it, with limits that Tomcat does not have: a deadline for a whole request head, a share of the
 * connections for each client address, a rate for the frames of a WebSocket, and a share of the workers for all WebSockets.
 */
public final class LimitedProtocol extends Http11NioProtocol {
    private final LimitedEndpoint endpoint;
    private volatile FrameBudget.Limits frames = FrameBudget.Limits.STREAMS;

    /** Tomcat creates it by class name. */
    public LimitedProtocol() {
        this(new LimitedEndpoint());
    }

    private LimitedProtocol(LimitedEndpoint endpoint) {
        super(endpoint);
        this.endpoint = endpoint;
    }

    /**
     * Sets the limits.
     *
     * @param headTimeout time within which a whole request head must arrive
     * @param perAddress maximum number of connections of one address; 0: limited only by its share
     */
    public void limit(Duration headTimeout, int perAddress) {
        endpoint.limit(headTimeout, perAddress);
    }

    /** The clients of WebSockets also send messages to the application, which are more and larger than tokens. */
    public void expectMessages() {
        frames = FrameBudget.Limits.MESSAGES;
    }

    @Override
    protected Processor createUpgradeProcessor(SocketWrapperBase<?> socket, UpgradeToken token) {
        if (socket.getSocket() instanceof LimitedChannel channel
                && token.httpUpgradeHandler() instanceof InternalHttpUpgradeHandler handler
                && handler.getUpgradeInfo() != null) {
            channel.limit(frames, handler.getUpgradeInfo());
        }
        return super.createUpgradeProcessor(socket, token);
    }
}

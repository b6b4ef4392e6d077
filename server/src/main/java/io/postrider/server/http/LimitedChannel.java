package io.postrider.server.http;

import io.postrider.gateway.DisconnectReason;
import jakarta.websocket.CloseReason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.apache.coyote.http11.upgrade.UpgradeInfo;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.websocket.WsIOException;
import org.jspecify.annotations.Nullable;

/**
 * Limits what a WebSocket reads, and scans the heads of requests. Tomcat discards or answers empty fragments, pongs and pings without calling the application, and a
 * worker reads a connection as long as there is data: 260 anonymous clients kept all workers busy.
 */
final class LimitedChannel extends NioChannel {
    /** So that no more than 85 empty frames are processed before they are counted. */
    private static final int PIECE = 512;

    private volatile @Nullable FrameBudget budget;
    private volatile HeadScanner heads = new HeadScanner();

    LimitedChannel(SocketBufferHandler buffers) {
        super(buffers);
    }

    /** Limits the connection from now on, by the frames that Tomcat counts. */
    void limit(FrameBudget.Limits limits, UpgradeInfo info) {
        budget = new FrameBudget(limits, info::getMsgsReceived, System::nanoTime);
    }

    /** Tomcat uses a channel for one connection after the other. */
    @Override
    public void reset(@Nullable SocketChannel socket, @Nullable NioSocketWrapper wrapper) throws IOException {
        budget = null;
        heads = new HeadScanner();
        super.reset(socket, wrapper);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        FrameBudget limit = budget;
        if (limit == null) {
            int begin = target.position();
            int count = super.read(target);
            heads.scan(target, begin);
            return count;
        }
        int end = target.limit();
        target.limit(Math.min(end, target.position() + PIECE));
        int read;
        try {
            read = super.read(target);
        } finally {
            target.limit(end);
        }
        if (!limit.take(Math.max(0, read))) {
            throw new WsIOException(new CloseReason(
                    CloseReason.CloseCodes.getCloseCode(DisconnectReason.FLOOD.closeCode()),
                    DisconnectReason.FLOOD.word()));
        }
        return read;
    }
}

package io.postrider.server.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts the connections of each client address. An address may have eight times as many as are still free: alone it gets 8/9 of
 * all, which is enough for a proxy, and there is always room for an address with few connections, such as a health check's. With a
 * fixed number an operator would have to know whether a proxy is in front. Thread-safe.
 */
final class AddressShares {
    private static final int TIMES_FREE = 8;

    /** A client with IPv6 usually has a whole network with this prefix length. */
    private static final int NETWORK_BYTES = 8;

    // Guarded by this.
    private final Map<SocketChannel, ByteBuffer> addresses = new HashMap<>();
    private final Map<ByteBuffer, Integer> counts = new HashMap<>();

    /**
     * Counts a connection, unless its address has too many.
     *
     * @param free connections that the server can accept after this one
     * @param most maximum for one address, or 0
     */
    boolean take(SocketChannel socket, long free, int most) {
        ByteBuffer address = addressOf(socket);
        synchronized (this) {
            int own = counts.getOrDefault(address, 0) + 1;
            if (own > TIMES_FREE * (Math.max(0, free) + 1) || (most > 0 && own > most)) {
                return false;
            }
            counts.put(address, own);
            addresses.put(socket, address);
            return true;
        }
    }

    /** Called at least once for each connection that ends. */
    synchronized void release(SocketChannel socket) {
        ByteBuffer address = addresses.remove(socket);
        if (address != null) {
            counts.computeIfPresent(address, (same, count) -> count == 1 ? null : count - 1);
        }
    }

    private static ByteBuffer addressOf(SocketChannel socket) {
        try {
            if (socket.getRemoteAddress() instanceof InetSocketAddress remote) {
                InetAddress address = remote.getAddress();
                byte[] bytes = address.getAddress();
                return ByteBuffer.wrap(bytes.length > NETWORK_BYTES ? Arrays.copyOf(bytes, NETWORK_BYTES) : bytes);
            }
        } catch (IOException e) {
            // closed in the meantime
        }
        return ByteBuffer.allocate(0);
    }
}

package io.postrider.server;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.Environment;

/**
 * The number of connections that fit into the heap. Without this limit, 12,000 connections that had each sent 12 KB of a request
 * head exhausted a heap of 512 MB, and the server did not recover.
 */
final class ConnectionLimit {
    /** Spring's setting, which overrides the limit that is computed here. */
    static final String KEY = "server.tomcat.max-connections";

    /** Connections in addition to the gateway's streams. */
    private static final int OTHERS = 2_000;

    private static final int LEAST = 100;

    /**
     * Measured: 63 KB with an incomplete head of 12 KB, 57 to 73 KB for a WebSocket with the largest head and an unfinished hello,
     * 19 KB for a silent connection.
     */
    private static final long BYTES_OF_ONE = 80 * 1024;

    private static final Logger log = LoggerFactory.getLogger(ConnectionLimit.class);

    private ConnectionLimit() {}

    /** The number that fits into half of the heap, but no more than the gateway and other clients need. */
    static int of(int gatewayConnections, long heap) {
        return (int) Math.min(gatewayConnections / 4 * 5L + OTHERS, roomOf(heap));
    }

    private static long roomOf(long heap) {
        return Math.max(LEAST, heap / 2 / BYTES_OF_ONE);
    }

    /** Reports a configured limit that exceeds the heap, and a limit below the number of connections that the gateway accepts. */
    static void report(Environment environment, int gatewayConnections, long heap) {
        int most = environment.getProperty(KEY, Integer.class, 0);
        String risk = risk(most, heap);
        if (risk != null) {
            log.warn("insecure_setting {}", risk);
        } else if (most < gatewayConnections) {
            log.info("connections_limited most={} heap_mb={} key=postrider.gateway.connections", most, heap >> 20);
        }
    }

    /** Null if this many connections fit into the heap. */
    static @Nullable String risk(int most, long heap) {
        long room = roomOf(heap);
        return most >= 0 && most <= room
                ? null
                : "key=" + KEY + " clients can exhaust the heap of " + (heap >> 20) + " MB, which has room for " + room
                        + " connections: raise -Xmx, or remove the setting";
    }
}

package io.postrider.server;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/**
 * The number of connections that fit into the heap. Without this limit, 12,000 connections that had each sent 12 KB of a request
 * head exhausted a heap of 512 MB, and the server did not recover.
 */
final class ConnectionLimit {
    /** Spring's setting, which overrides the limit that is computed here. */
    static final String KEY = "server.tomcat.max-connections";

    /** Spring's settings of the buffers that Tomcat allocates in full for each connection with a byte of a head. */
    static final String REQUEST_HEAD = "server.max-http-request-header-size";

    static final String RESPONSE_HEAD = "server.tomcat.max-http-response-header-size";

    static final DataSize DEFAULT_REQUEST_HEAD = DataSize.ofKilobytes(16);
    private static final DataSize DEFAULT_RESPONSE_HEAD = DataSize.ofKilobytes(8);

    /** Connections in addition to the gateway's streams. */
    private static final int OTHERS = 2_000;

    private static final int LEAST = 100;

    /**
     * Measured with the default heads: 63 KB with an incomplete head of 12 KB, 57 to 73 KB for a WebSocket with the largest head and
     * an unfinished hello, 19 KB for a silent connection. With heads of 1 MB, 300 connections with half a head exhausted a heap of
     * 512 MB. A head counts twice, because its values become text when the request is processed.
     */
    private static final long BYTES_WITHOUT_HEADS = 40 * 1024;

    private static final Logger log = LoggerFactory.getLogger(ConnectionLimit.class);

    private ConnectionLimit() {}

    /**
     * What a connection may take, by the settings that are in effect.
     *
     * @param requestHead maximum size of a request's head
     * @param responseHead maximum size of an answer's head
     */
    record Heads(DataSize requestHead, DataSize responseHead) {
        static final Heads DEFAULT = new Heads(DEFAULT_REQUEST_HEAD, DEFAULT_RESPONSE_HEAD);

        /** A value below the default counts as the default: for 0, Tomcat uses a default of its own. */
        static Heads of(Environment environment) {
            Binder binder = Binder.get(environment);
            return new Heads(
                    size(binder, REQUEST_HEAD, DEFAULT_REQUEST_HEAD),
                    size(binder, RESPONSE_HEAD, DEFAULT_RESPONSE_HEAD));
        }

        private static DataSize size(Binder binder, String key, DataSize otherwise) {
            DataSize given = binder.bind(key, DataSize.class).orElse(otherwise);
            return given.compareTo(otherwise) < 0 ? otherwise : given;
        }

        long bytesOfOne() {
            return BYTES_WITHOUT_HEADS + 2 * requestHead.toBytes() + responseHead.toBytes();
        }

        /** The settings above the default, by name. */
        private List<String> raised() {
            List<String> raised = new ArrayList<>();
            if (requestHead.compareTo(DEFAULT_REQUEST_HEAD) > 0) {
                raised.add(REQUEST_HEAD);
            }
            if (responseHead.compareTo(DEFAULT_RESPONSE_HEAD) > 0) {
                raised.add(RESPONSE_HEAD);
            }
            return raised;
        }
    }

    /** The number that fits into half of the heap, but no more than the gateway and other clients need. */
    static int of(int gatewayConnections, long heap, Heads heads) {
        return (int) Math.min(gatewayConnections / 4 * 5L + OTHERS, roomOf(heap, heads));
    }

    /** Even a small heap has room for some connections with default heads, but not for as many with larger ones. */
    private static long roomOf(long heap, Heads heads) {
        long bytes = Math.max(heap / 2, LEAST * Heads.DEFAULT.bytesOfOne());
        return Math.max(1, bytes / heads.bytesOfOne());
    }

    /** Reports a configured limit that exceeds the heap, larger heads, and a limit below what the gateway accepts. */
    static void report(Environment environment, int gatewayConnections, long heap) {
        int most = environment.getProperty(KEY, Integer.class, 0);
        Heads heads = Heads.of(environment);
        List<String> risks = risks(most, heap, heads);
        risks.forEach(risk -> log.warn("insecure_setting {}", risk));
        if (risks.isEmpty() && most < gatewayConnections) {
            log.info("connections_limited most={} heap_mb={} key=postrider.gateway.connections", most, heap >> 20);
        }
    }

    /** Empty if this many connections fit into the heap, with the default sizes of heads. */
    static List<String> risks(int most, long heap, Heads heads) {
        List<String> risks = new ArrayList<>();
        long room = roomOf(heap, heads);
        if (most < 0 || most > room) {
            risks.add("key=" + KEY + " clients can exhaust the heap of " + (heap >> 20) + " MB, which has room for "
                    + room + " connections: raise -Xmx, or remove the setting");
        }
        for (String key : heads.raised()) {
            risks.add("key=" + key + " a client without a token can take " + (heads.bytesOfOne() >> 10)
                    + " KB with one connection, so the heap of " + (heap >> 20) + " MB has room for only " + room
                    + " connections: remove the setting, or raise -Xmx");
        }
        return risks;
    }
}

package io.postrider.redis;

import io.postrider.PostriderException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a connection finds its server.
 *
 * @param kind one server; a cluster, in which the node that owns a key is asked for; or sentinels, which name the primary
 * @param nodes where to ask: the server, nodes of the cluster, or sentinels
 * @param primary the name by which sentinels know the primary; null for the other kinds
 */
record RedisTopology(Kind kind, List<Node> nodes, @Nullable String primary) {
    private static final int MOST_NODES = 100;

    enum Kind {
        SINGLE,
        CLUSTER,
        SENTINEL
    }

    /** The address of one process. */
    record Node(String host, int port) {
        Node {
            Checks.outside("redis port", port, 1, 65_535);
            if (host.isBlank() || !host.equals(host.strip())) {
                throw PostriderException.refused("redis host must be a name or an address, was '" + host + "'");
            }
        }

        @Override
        public String toString() {
            return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
        }

        /** From {@code host}, {@code host:port} or {@code [address]:port}. */
        static Node of(String text, int defaultPort) {
            int colon = text.lastIndexOf(':');
            boolean hasPort = colon > text.lastIndexOf(']') && text.indexOf(':') == colon || text.contains("]:");
            String host = hasPort ? text.substring(0, colon) : text;
            String port = hasPort ? text.substring(colon + 1) : Integer.toString(defaultPort);
            if (!port.matches("[0-9]{1,5}")) {
                throw PostriderException.refused("redis node must be host:port, was '" + text + "'");
            }
            return new Node(host.replaceAll("^\\[|]$", ""), Integer.parseInt(port));
        }
    }

    RedisTopology {
        if (nodes.isEmpty() || nodes.size() > MOST_NODES) {
            throw PostriderException.refused("redis nodes must be 1.." + MOST_NODES + ", was " + nodes.size());
        }
        if (kind == Kind.SENTINEL) {
            Checks.unlessName("redis primary", primary);
        }
    }

    static RedisTopology single(String host, int port) {
        return new RedisTopology(Kind.SINGLE, List.of(new Node(host, port)), null);
    }

    static RedisTopology of(Kind kind, List<String> nodes, int defaultPort, @Nullable String primary) {
        List<Node> parsed = new ArrayList<>();
        for (String node : nodes) {
            parsed.add(Node.of(node.strip(), defaultPort));
        }
        return new RedisTopology(kind, List.copyOf(parsed), primary);
    }

    Node first() {
        return nodes.get(0);
    }

    /** For lists and logs. */
    @Override
    public String toString() {
        String all = String.join(",", nodes.stream().map(Node::toString).toList());
        return switch (kind) {
            case SINGLE -> all;
            case CLUSTER -> "cluster " + all;
            case SENTINEL -> primary + " of sentinels " + all;
        };
    }
}

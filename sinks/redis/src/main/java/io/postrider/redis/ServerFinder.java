package io.postrider.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import org.jspecify.annotations.Nullable;

/**
 * Finds the server for a connection, anew for each one.
 *
 * <p>In a cluster, everything that one connection does is about one key or channel, so it is connected to the node that owns the
 * key's slot, like to a single server: order, transactions and the fence of {@link RedisLink} work as there. A channel has no owner,
 * because every node passes messages on to all others; the node of its name's slot is used, by publishers and subscribers alike. When
 * a slot moves or a node fails, commands fail, and the next connection asks the cluster again.
 *
 * <p>With sentinels, Lettuce asks them for the primary each time it connects.
 */
final class ServerFinder {
    private final RedisClient client;
    private final RedisOptions options;
    private final String clientName;
    private final int slot;

    /** @param key the key or channel that the connections are for */
    ServerFinder(RedisClient client, RedisOptions options, String clientName, String key) {
        this.client = client;
        this.options = options;
        this.clientName = clientName;
        this.slot = SlotHash.getSlot(key);
    }

    /** Where to connect now. */
    RedisURI find() {
        if (options.topology().kind() != RedisTopology.Kind.CLUSTER) {
            return options.uri(clientName);
        }
        @Nullable RedisException last = null;
        for (RedisTopology.Node node : options.topology().nodes()) {
            try {
                return ask(node);
            } catch (RedisException e) {
                last = e;
            }
        }
        throw new RedisException("no node of " + options.place() + " knows who owns slot " + slot, last);
    }

    private RedisURI ask(RedisTopology.Node node) {
        RedisURI seed = options.uri(clientName, node);
        try (StatefulRedisConnection<String, String> connection = client.connect(seed)) {
            String nodes = connection.sync().clusterNodes();
            RedisClusterNode owner = ClusterPartitionParser.parse(nodes).getPartitionBySlot(slot);
            if (owner == null) {
                throw new RedisException("no node owns slot " + slot);
            }
            String host = owner.getUri().getHost();
            // a node that has not met another does not know its own address
            return options.uri(
                    clientName,
                    new RedisTopology.Node(
                            host == null || host.isEmpty() ? node.host() : host,
                            owner.getUri().getPort()));
        }
    }
}

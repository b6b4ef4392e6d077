package io.postrider.redis;

import io.lettuce.core.cluster.SlotHash;
import io.postrider.testkit.Await;
import io.postrider.testkit.Ports;
import io.postrider.testkit.program.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A Redis cluster of three nodes without replicas, each with a third of the slots. */
final class RealCluster implements AutoCloseable {
    private static final int SLOTS = 16_384;

    private final List<RedisProcess> nodes = new ArrayList<>();

    private RealCluster() {}

    static RealCluster running() {
        RealCluster cluster = new RealCluster();
        List<Integer> buses = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int bus = Ports.free();
            buses.add(bus);
            cluster.nodes.add(RedisProcess.running(
                    "--cluster-enabled", "yes", "--cluster-port", "" + bus, "--cluster-node-timeout", "2000"));
        }
        for (int i = 0; i < 3; i++) {
            RedisProcess node = cluster.nodes.get(i);
            node.tell("CLUSTER SET-CONFIG-EPOCH " + (i + 1));
            node.tell("CLUSTER ADDSLOTSRANGE " + i * SLOTS / 3 + " " + ((i + 1) * SLOTS / 3 - 1));
            for (int j = 0; j < i; j++) {
                node.tell("CLUSTER MEET 127.0.0.1 " + cluster.nodes.get(j).port() + " " + buses.get(j));
            }
        }
        Await.until(
                "the cluster is up",
                Duration.ofSeconds(60),
                () -> cluster.nodes.stream()
                        .allMatch(node -> node.tell("PUBLISH up up").startsWith(":")
                                && node.tellAll("CLUSTER INFO").contains("cluster_state:ok")
                                && node.tellAll("CLUSTER INFO").contains("cluster_known_nodes:3")));
        return cluster;
    }

    List<RedisProcess> nodes() {
        return nodes;
    }

    /** Knows one node; the others are found through it. */
    RedisOptions options() {
        return RedisOptions.cluster("127.0.0.1:" + nodes.get(0).port());
    }

    /** Knows all of them. */
    RedisOptions allNodes() {
        return RedisOptions.cluster(
                nodes.stream().map(node -> "127.0.0.1:" + node.port()).toArray(String[]::new));
    }

    /** The node that owns a key. */
    RedisProcess ownerOf(String key) {
        int slot = SlotHash.getSlot(key);
        return nodes.stream()
                .filter(node -> !node.tell("GET {" + key + "}probe").startsWith("-MOVED"))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("nobody owns slot " + slot));
    }

    /** Moves the slot of a key, which holds no data, to another node. */
    void moveSlot(String key, RedisProcess to) {
        int slot = SlotHash.getSlot(key);
        String id = to.tellAll("CLUSTER MYID").strip();
        nodes.forEach(node -> node.tell("CLUSTER SETSLOT " + slot + " NODE " + id));
    }

    @Override
    public void close() {
        nodes.forEach(RedisProcess::close);
    }
}

package io.postrider.gateway;

import io.postrider.gateway.internal.hub.HubCore;
import java.util.Set;

/**
 * Delivers each event of its topics to the connections that may receive it. Safe to share.
 *
 * <p>One thread owns all state: the members of each room, the recent events and the position of each topic. Other threads send
 * it commands, so no lock is held during a delivery and a client that reconnects cannot block the others.
 */
public final class Hub implements AutoCloseable {
    private final HubCore core;

    private Hub(HubCore core) {
        this.core = core;
    }

    /** Starts to follow the topics. The hub owns the feed from now on and closes it. */
    public static Hub open(Feed feed, History history, GatewayOptions options) {
        return new Hub(HubCore.open(feed, history, options));
    }

    /** Whether the feed of every topic has started. Before that, connections are refused. */
    public boolean isReady() {
        return core.isReady();
    }

    /** The position that a topic has reached here; -1 if its feed has not started or this hub does not serve it. */
    public long reached(String topic) {
        return core.reached(topic);
    }

    /** The number of open connections. */
    public int connections() {
        return core.connections();
    }

    /** Ends the streams of these subjects and asks them to reconnect, for example to test reconnection. Returns their number. */
    public int cut(Set<String> subjects) {
        return core.cut(subjects);
    }

    /** Asks all clients to reconnect elsewhere, with their resume positions, and stops. */
    @Override
    public void close() {
        core.close();
    }

    HubCore core() {
        return core;
    }
}

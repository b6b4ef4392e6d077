package io.postrider.gateway.internal.hub;

import io.postrider.gateway.DisconnectReason;
import io.postrider.gateway.GatewayWatch;
import io.postrider.gateway.Transport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wraps a watch and logs its exceptions, so that they do not affect the gateway. */
final class SafeWatch implements GatewayWatch {
    private static final Logger log = LoggerFactory.getLogger(SafeWatch.class);
    private final GatewayWatch watch;

    private SafeWatch(GatewayWatch watch) {
        this.watch = watch;
    }

    static GatewayWatch of(GatewayWatch watch) {
        return watch == NOTHING ? watch : new SafeWatch(watch);
    }

    @Override
    public void opened(String topic, Transport.Form form) {
        guard(() -> watch.opened(topic, form));
    }

    @Override
    public void closed(String topic, Transport.Form form, DisconnectReason reason) {
        guard(() -> watch.closed(topic, form, reason));
    }

    @Override
    public void refused(int status) {
        guard(() -> watch.refused(status));
    }

    @Override
    public void upgradesLost(int upgrades) {
        guard(() -> watch.upgradesLost(upgrades));
    }

    @Override
    public void published(String topic, int connections) {
        guard(() -> watch.published(topic, connections));
    }

    @Override
    public void replayedFromMemory(String topic, int events) {
        guard(() -> watch.replayedFromMemory(topic, events));
    }

    @Override
    public void replayedFromHistory(String topic, int events) {
        guard(() -> watch.replayedFromHistory(topic, events));
    }

    @Override
    public void snapshotNeeded(String topic) {
        guard(() -> watch.snapshotNeeded(topic));
    }

    @Override
    public void overflowed(String topic, long queuedBytes) {
        guard(() -> watch.overflowed(topic, queuedBytes));
    }

    private static void guard(Runnable told) {
        try {
            told.run();
        } catch (RuntimeException e) {
            log.error("watch_failed", e);
        }
    }
}

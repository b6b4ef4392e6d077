package io.postrider.gateway;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A watch that may throw without harm: what it watches goes on, and the mistake is in the log. */
final class GuardedWatch implements GatewayWatch {
    private static final Logger log = LoggerFactory.getLogger(GuardedWatch.class);
    private final GatewayWatch watch;

    private GuardedWatch(GatewayWatch watch) {
        this.watch = watch;
    }

    static GatewayWatch of(GatewayWatch watch) {
        return watch == NOTHING ? watch : new GuardedWatch(watch);
    }

    @Override
    public void opened(String topic, Transport.Form form) {
        guard(() -> watch.opened(topic, form));
    }

    @Override
    public void closed(String topic, Transport.Form form, Cut reason) {
        guard(() -> watch.closed(topic, form, reason));
    }

    @Override
    public void refused(int status) {
        guard(() -> watch.refused(status));
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

package io.postrider.server;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.postrider.gateway.DisconnectReason;
import io.postrider.gateway.GatewayWatch;
import io.postrider.gateway.Transport;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counters of the gateway. Topics are those that the settings name, so the number of label values is bounded. */
final class GatewayMeters implements GatewayWatch {
    private final MeterRegistry registry;
    private final Map<String, Counter> counters = new ConcurrentHashMap<>();

    GatewayMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void opened(String topic, Transport.Form form) {
        count("postrider_gateway_opened_total", Tags.of("topic", topic, "form", word(form)), 1);
    }

    @Override
    public void closed(String topic, Transport.Form form, DisconnectReason reason) {
        count("postrider_gateway_closed_total", Tags.of("topic", topic, "form", word(form), "reason", word(reason)), 1);
    }

    @Override
    public void refused(int status) {
        count("postrider_gateway_refused_total", Tags.of("status", Integer.toString(status)), 1);
    }

    @Override
    public void upgradesLost(int upgrades) {
        count("postrider_gateway_upgrades_lost_total", Tags.empty(), upgrades);
    }

    @Override
    public void published(String topic, int connections) {
        count("postrider_gateway_sent_total", Tags.of("topic", topic), connections);
    }

    @Override
    public void replayedFromMemory(String topic, int events) {
        count("postrider_gateway_replayed_total", Tags.of("topic", topic, "from", "memory"), events);
    }

    @Override
    public void replayedFromHistory(String topic, int events) {
        count("postrider_gateway_replayed_total", Tags.of("topic", topic, "from", "history"), events);
    }

    @Override
    public void snapshotNeeded(String topic) {
        count("postrider_gateway_snapshots_total", Tags.of("topic", topic), 1);
    }

    @Override
    public void overflowed(String topic, long queuedBytes) {
        count("postrider_gateway_overflowed_total", Tags.of("topic", topic), 1);
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private void count(String name, Tags tags, int by) {
        counters.computeIfAbsent(name + tags, key -> registry.counter(name, tags))
                .increment(by);
    }
}

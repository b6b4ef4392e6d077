package io.postrider.proof.check;

import io.postrider.proof.history.History;
import io.postrider.proof.history.ListenerHistory;
import io.postrider.proof.history.Readings;
import io.postrider.proof.history.TopicLog;
import io.postrider.proof.history.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;

/**
 * What producers did and what the logs hold, with listeners that have read them. The logs may be changed: listeners
 * made afterwards have read the changed ones, as if the sequencer had been wrong and every reader right.
 */
public final class SimulatedWorld {
    private final List<Transaction> transactions;
    private final Map<String, List<UUID>> logs = new TreeMap<>();
    private final long end;

    SimulatedWorld(List<Transaction> transactions, Map<String, List<UUID>> logs, long end) {
        this.transactions = transactions;
        this.end = end;
        logs.forEach((topic, events) -> this.logs.put(topic, new ArrayList<>(events)));
    }

    public List<Transaction> transactions() {
        return transactions;
    }

    /** The events of a topic by position, from 1; null is a hole. */
    public List<UUID> log(String topic) {
        return logs.get(topic);
    }

    /** Without anybody reading. */
    public History silent() {
        return new History(transactions, topicLogs(), List.of());
    }

    /** With listeners of both kinds on each topic, which fail and go on now and then. */
    public History history(Random random) {
        List<ListenerHistory> listeners = new ArrayList<>();
        for (String topic : logs.keySet()) {
            ListenerHistory.Reader relay = new ListenerHistory.Reader("relay-" + topic, topic, 0);
            listeners.add(new ListenerHistory(relay, true, handled(topic, random), Optional.empty()));
            ListenerHistory.Reader account = new ListenerHistory.Reader("account-" + topic, topic, 0);
            listeners.add(new ListenerHistory(account, true, handled(topic, random), Optional.of(places(topic))));
        }
        return new History(transactions, topicLogs(), listeners);
    }

    private List<TopicLog> topicLogs() {
        return logs.keySet().stream()
                .map(topic -> new TopicLog(topic, 0, places(topic)))
                .toList();
    }

    private Readings places(String topic) {
        Readings.Collector places = new Readings.Collector();
        List<UUID> events = logs.get(topic);
        for (int i = 0; i < events.size(); i++) {
            if (events.get(i) != null) {
                places.add(i + 1, events.get(i));
            }
        }
        return places.collected();
    }

    /** Batches of up to ten; one in six fails somewhere and is taken up again from its first event. */
    private Readings handled(String topic, Random random) {
        Readings.Collector handled = new Readings.Collector();
        List<UUID> events = logs.get(topic);
        long time = end;
        int attempt = 0;
        int cursor = 0;
        while (cursor < events.size()) {
            attempt++;
            int last = Math.min(events.size(), cursor + 1 + random.nextInt(10));
            boolean fails = random.nextInt(6) == 0;
            int reached = fails ? cursor + 1 + random.nextInt(last - cursor) : last;
            for (int i = cursor; i < reached; i++) {
                if (events.get(i) != null) {
                    handled.add(i + 1, events.get(i), attempt, ++time);
                }
            }
            cursor = fails ? cursor : last;
        }
        return handled.collected();
    }
}

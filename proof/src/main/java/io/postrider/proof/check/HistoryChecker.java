package io.postrider.proof.check;

import io.postrider.proof.history.History;
import io.postrider.proof.history.ListenerHistory;
import io.postrider.proof.history.Readings;
import io.postrider.proof.history.TopicLog;
import io.postrider.proof.history.Transaction;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks whether a history satisfies the guarantees G1 to G5, G7, G8 and G10.
 *
 * <p>It uses only what is visible from outside, so it works for any sequencer and any reader. Every rule is one pass over a log
 * with at most logarithmic lookups: a million events with their snapshots, and four listeners that handled 1.7 million, take two
 * to three seconds in a heap of 1 GB.
 *
 * <p>Not checked: durations (G6, G9, G12), jobs (a retried job has several positions by design), and listeners that filter or
 * park, which do not handle every position in order.
 */
public final class HistoryChecker {
    private final EventTable events;
    private final Findings findings = new Findings();
    private final Map<String, OrderedLog> logs = new LinkedHashMap<>();

    private HistoryChecker(History history) {
        events = new EventTable(history.transactions());
        for (TopicLog log : history.logs()) {
            if (logs.put(log.topic(), new OrderedLog(log, events)) != null) {
                throw new IllegalArgumentException("two logs of topic " + log.topic());
            }
        }
    }

    /**
     * Checks a history.
     *
     * @return all violations; empty if it satisfies the guarantees
     * @throws IllegalArgumentException if the evidence contradicts itself, so that it cannot come from a real run
     */
    public static List<Violation> check(History history) {
        return new HistoryChecker(history).judge(history.listeners());
    }

    private List<Violation> judge(List<ListenerHistory> listeners) {
        proveUnknownCommits();
        events.requireDistinct("xid", Transaction::xid);
        events.requireDistinct(
                "commit number", transaction -> transaction.commit().number());
        PositionRule places = new PositionRule(events, findings);
        List<SoundLog> sound = new ArrayList<>();
        logs.values().forEach(log -> sound.add(places.check(log)));
        places.reportLost();
        ContiguityRule whole = new ContiguityRule(events, findings);
        KeyOrderRule keyOrder = new KeyOrderRule(events, findings);
        for (SoundLog log : sound) {
            whole.check(log);
            keyOrder.check(log);
            new CausalOrderRule(events, findings).check(log);
        }
        ListenerRule listener = new ListenerRule(events, findings);
        for (ListenerHistory listening : listeners) {
            listener.check(listening, logOf(listening.reader().topic()));
        }
        return findings.all();
    }

    private void proveUnknownCommits() {
        for (OrderedLog log : logs.values()) {
            for (int row = 0; row < log.size(); row++) {
                if (log.event(row) != EventTable.NOBODYS) {
                    events.provedByPosition(log.event(row));
                }
            }
        }
    }

    private OrderedLog logOf(String topic) {
        return logs.computeIfAbsent(
                topic, t -> new OrderedLog(new TopicLog(t, 0, new Readings.Collector().collected()), events));
    }
}

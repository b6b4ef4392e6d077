package io.postrider.proof;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Judges a history: does what happened keep the guarantees G1 to G5, G7, G8 and G10?
 *
 * <p>It asks only what could be seen from outside, so it holds for any sequencer and any reader. Every rule is one walk
 * along a log, with at most a logarithm for a look-up: a million events with their snapshots, and four listeners that
 * handled 1.7 million, take two to three seconds in a heap of 1 GB.
 *
 * <p>Not judged: how long anything took (G6, G9, G12), jobs (a retried job has several positions by design), and
 * listeners that filter or park, which do not handle every position in order.
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
     * @return all that is wrong with it; nothing, if it keeps the guarantees
     * @throws IllegalArgumentException if the evidence contradicts itself, so that no run can have been like that
     */
    public static List<Violation> check(History history) {
        return new HistoryChecker(history).judge(history.listeners());
    }

    private List<Violation> judge(List<Listening> listeners) {
        proveUnknownCommits();
        events.requireDistinct("xid", Transaction::xid);
        events.requireDistinct(
                "commit number", transaction -> transaction.commit().number());
        PlaceRule places = new PlaceRule(events, findings);
        List<SoundLog> sound = new ArrayList<>();
        logs.values().forEach(log -> sound.add(places.check(log)));
        places.reportLost();
        WholeRule whole = new WholeRule(events, findings);
        KeyOrderRule keyOrder = new KeyOrderRule(events, findings);
        for (SoundLog log : sound) {
            whole.check(log);
            keyOrder.check(log);
            new CausalRule(events, findings).check(log);
        }
        ListenerRule listener = new ListenerRule(events, findings);
        for (Listening listening : listeners) {
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

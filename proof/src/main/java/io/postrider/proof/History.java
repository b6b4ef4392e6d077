package io.postrider.proof;

import java.util.List;

/**
 * What happened in one run, and nothing about how: the evidence that {@link HistoryChecker} judges.
 *
 * <p>Immutable. It comes from a {@link HistoryRecorder} that watched the run, or from a {@link HistoryFile} that kept
 * one which failed.
 *
 * @param transactions what the producers did
 * @param logs what the topics held at the end, one for each topic
 * @param listeners what the listeners handled
 */
public record History(List<Transaction> transactions, List<TopicLog> logs, List<Listening> listeners) {
    public History {
        transactions = List.copyOf(transactions);
        logs = List.copyOf(logs);
        listeners = List.copyOf(listeners);
    }
}

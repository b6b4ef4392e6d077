package io.postrider.proof.history;

import io.postrider.proof.check.HistoryChecker;
import io.postrider.proof.record.HistoryRecorder;
import java.util.List;

/**
 * What happened in one run, independent of the implementation: the evidence that {@link HistoryChecker} checks.
 *
 * <p>Immutable. It is recorded by a {@link HistoryRecorder} during the run, or read from a {@link HistoryFile} of a failed run.
 *
 * @param transactions what the producers did
 * @param logs what the topics held at the end, one for each topic
 * @param listeners what the listeners handled
 */
public record History(List<Transaction> transactions, List<TopicLog> logs, List<ListenerHistory> listeners) {
    public History {
        transactions = List.copyOf(transactions);
        logs = List.copyOf(logs);
        listeners = List.copyOf(listeners);
    }
}

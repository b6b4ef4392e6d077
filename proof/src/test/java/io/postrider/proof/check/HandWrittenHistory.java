package io.postrider.proof.check;

import io.postrider.proof.check.Violation.Kind;
import io.postrider.proof.record.HistoryRecorder;
import io.postrider.proof.record.ListenerRecorder;
import io.postrider.proof.record.ListenerRecorder.Attempt;
import io.postrider.proof.record.LogRecorder;
import io.postrider.proof.record.TransactionRecorder;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * A history told by hand, on one topic, with events that have letters for names.
 *
 * <p>A log is told as {@code "a b - c"}: positions 1 to 4, nothing at 3. A listener is told as {@code "1a 2b | 2b 3c
 * ."}: what it handled where, {@code |} where a new attempt begins, {@code .} where it finished.
 */
final class HandWrittenHistory {
    static final String TOPIC = "orders";

    private final HistoryRecorder recorder;
    private long lastId;

    HandWrittenHistory() {
        this(new long[] {1});
    }

    /** With a clock that stands at the first element. */
    HandWrittenHistory(long[] clock) {
        recorder = new HistoryRecorder(() -> clock[0]);
    }

    static UUID id(String event) {
        return UUID.nameUUIDFromBytes(event.getBytes(StandardCharsets.UTF_8));
    }

    HistoryRecorder recorder() {
        return recorder;
    }

    TransactionRecorder begin() {
        return recorder.begin();
    }

    /** Emits events without a key. */
    HandWrittenHistory emit(TransactionRecorder transaction, String... events) {
        for (String event : events) {
            transaction.emitted(id(event), TOPIC, ++lastId);
        }
        return this;
    }

    /** Emits an event of a key. */
    HandWrittenHistory emitOf(String key, TransactionRecorder transaction, String event) {
        transaction.emitted(id(event), TOPIC, key, ++lastId);
        return this;
    }

    /** A transaction that emits events and commits. */
    HandWrittenHistory committed(String... events) {
        TransactionRecorder transaction = begin();
        emit(transaction, events);
        transaction.committed();
        return this;
    }

    /** A transaction that emits events and rolls back. */
    HandWrittenHistory aborted(String... events) {
        TransactionRecorder transaction = begin();
        emit(transaction, events);
        transaction.aborted();
        return this;
    }

    HandWrittenHistory log(String events) {
        LogRecorder log = recorder.log(TOPIC);
        long position = 0;
        for (String event : words(events)) {
            position++;
            if (!event.equals("-")) {
                log.at(position, id(event));
            }
        }
        return this;
    }

    HandWrittenHistory listener(String name, String told) {
        ListenerRecorder listener = recorder.listener(name, TOPIC);
        Attempt attempt = listener.attempt();
        for (String word : words(told)) {
            if (word.equals("|")) {
                attempt = listener.attempt();
            } else if (word.equals(".")) {
                listener.finished();
            } else {
                attempt.handled(position(word), event(word));
            }
        }
        return this;
    }

    HandWrittenHistory effects(String name, String told) {
        ListenerRecorder listener = recorder.listener(name, TOPIC).transactional();
        for (String word : words(told)) {
            if (word.equals(".")) {
                listener.finished();
            } else {
                listener.effect(position(word), event(word));
            }
        }
        return this;
    }

    List<Violation> violations() {
        return HistoryChecker.check(recorder.history());
    }

    Set<Kind> kinds() {
        return kinds(violations());
    }

    static Set<Kind> kinds(List<Violation> violations) {
        Set<Kind> kinds = EnumSet.noneOf(Kind.class);
        violations.forEach(violation -> kinds.add(violation.kind()));
        return kinds;
    }

    private static List<String> words(String text) {
        return text.isBlank() ? List.of() : List.of(text.trim().split(" +"));
    }

    private static long position(String word) {
        return Long.parseLong(word.replaceAll("\\D", ""));
    }

    private static UUID event(String word) {
        return id(word.replaceAll("\\d", ""));
    }
}

package io.postrider.proof.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.postrider.proof.history.Commit;
import io.postrider.proof.history.EmittedEvent;
import io.postrider.proof.history.History;
import io.postrider.proof.history.KeyVersion;
import io.postrider.proof.history.ListenerHistory;
import io.postrider.proof.history.Outcome;
import io.postrider.proof.history.Snapshot;
import io.postrider.proof.history.Transaction;
import io.postrider.proof.history.Visibility;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
class HistoryRecorderTest {
    private final HistoryRecorder recorder = new HistoryRecorder();

    @Test
    void threads_may_share_it() throws Exception {
        int writers = 8;
        int each = 500;
        ExecutorService pool = Executors.newFixedThreadPool(writers);
        CountDownLatch start = new CountDownLatch(1);
        List<Future<?>> running = new ArrayList<>();
        for (int writer = 0; writer < writers; writer++) {
            running.add(pool.submit(() -> {
                start.await();
                ListenerRecorder.Attempt attempt =
                        recorder.listener("mailer", "orders").attempt();
                for (int i = 0; i < each; i++) {
                    TransactionRecorder transaction = recorder.begin();
                    transaction.emitted(UUID.randomUUID(), "orders", i);
                    transaction.committed();
                    attempt.handled(i, UUID.randomUUID());
                    recorder.log("orders").at(i, UUID.randomUUID());
                }
                return null;
            }));
        }
        start.countDown();
        for (Future<?> writer : running) {
            writer.get();
        }
        pool.shutdown();

        History history = recorder.history();
        assertThat(history.transactions().stream().map(Transaction::number))
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, writers * each).boxed().toList());
        assertThat(history.listeners()).hasSize(1);
        assertThat(history.listeners().get(0).handled().size()).isEqualTo(writers * each);
        assertThat(history.logs().get(0).readings().size()).isEqualTo(writers * each);
    }

    @Test
    void going_back_to_a_savepoint_undoes_events_and_locks() {
        TransactionRecorder transaction = recorder.begin();
        transaction.locked("kept", 1);
        emit(transaction, "kept");
        TransactionRecorder.Savepoint savepoint = transaction.savepoint();
        transaction.locked("released", 7);
        emit(transaction, "released");
        transaction.rolledBackTo(savepoint);
        emit(transaction, "released");
        emit(transaction, "kept");
        transaction.committed();

        Transaction recorded = only();
        assertThat(recorded.locks()).containsExactly(new KeyVersion("kept", 1));
        assertThat(recorded.events()).extracting(EmittedEvent::undone).containsExactly(false, true, false, false);
        assertThat(recorded.events())
                .extracting(EmittedEvent::key)
                .containsExactly(
                        new KeyVersion("kept", 1),
                        new KeyVersion("released", 7),
                        new KeyVersion("released", KeyVersion.NOT_HELD),
                        new KeyVersion("kept", 1));
    }

    @Test
    void an_event_knows_what_was_seen_before_it_only() {
        TransactionRecorder transaction = recorder.begin();
        emit(transaction, "");
        transaction.saw("other", 3);
        emit(transaction, "");
        emit(transaction, "");
        transaction.saw("other", 4);
        transaction.saw(Snapshot.parse("5:9:6,7"));
        emit(transaction, "");
        transaction.committed();

        List<EmittedEvent> events = only().events();
        assertThat(events.get(0).sight()).isSameAs(Visibility.NOTHING);
        assertThat(events.get(1).sight()).isEqualTo(new Visibility(Snapshot.NONE, List.of(new KeyVersion("other", 3))));
        assertThat(events.get(2).sight()).isSameAs(events.get(1).sight());
        assertThat(events.get(3).sight())
                .isEqualTo(new Visibility(Snapshot.parse("5:9:6,7"), List.of(new KeyVersion("other", 4))));
    }

    @Test
    void under_its_own_lock_a_transaction_sees_the_holders_before_it() {
        TransactionRecorder transaction = recorder.begin();
        transaction.locked("k", 5);
        transaction.locked("k", 6);
        transaction.saw("k", 6);
        emit(transaction, "k");
        transaction.committed();
        assertThat(only().events().get(0).sight().keys()).containsExactly(new KeyVersion("k", 4));
        assertThat(only().events().get(0).key()).isEqualTo(new KeyVersion("k", 6));
    }

    @Test
    void of_a_lock_given_back_with_a_savepoint_later_holders_can_be_seen() {
        TransactionRecorder transaction = recorder.begin();
        TransactionRecorder.Savepoint savepoint = transaction.savepoint();
        transaction.locked("k", 5);
        transaction.rolledBackTo(savepoint);
        transaction.saw("k", 9);
        emit(transaction, "k");
        transaction.committed();
        assertThat(only().events().get(0).sight().keys()).containsExactly(new KeyVersion("k", 9));
    }

    @Test
    void a_transaction_never_ended_is_aborted_before_its_commit_and_unknown_after() {
        TransactionRecorder transaction = recorder.begin();
        assertThat(only().commit().outcome()).isEqualTo(Outcome.ABORTED);
        transaction.committing();
        assertThat(only().commit().outcome()).isEqualTo(Outcome.UNKNOWN);
        transaction.committed();
        assertThat(only().commit().outcome()).isEqualTo(Outcome.COMMITTED);
        assertThatThrownBy(transaction::aborted).hasMessage("T1 has already ended");
    }

    @Test
    void the_wal_tells_the_order_and_what_became_of_the_unknown() {
        List.of(10L, 11L, 12L).forEach(this::unknown);
        recorder.commitOrder(99, 12, 10);
        assertThat(recorder.history().transactions())
                .extracting(Transaction::commit)
                .extracting(Commit::outcome, Commit::number)
                .containsExactly(
                        tuple(Outcome.COMMITTED, 3L), tuple(Outcome.ABORTED, 0L), tuple(Outcome.COMMITTED, 2L));
    }

    @Test
    void a_commit_in_the_wal_of_what_was_recorded_as_aborted_is_refused() {
        TransactionRecorder transaction = recorder.begin();
        transaction.xid(10);
        transaction.aborted();
        recorder.commitOrder(10);
        assertThatThrownBy(recorder::history)
                .hasMessage("T1 (xid 10) was recorded as aborted, but the WAL has its commit");
    }

    @Test
    void a_transactional_listener_without_effects_had_none() {
        recorder.listener("plain", "orders").finished();
        recorder.listener("transactional", "orders").transactional().startsAfter(7);
        List<ListenerHistory> listeners = recorder.history().listeners();
        assertThat(listeners.get(0).effects()).isEmpty();
        assertThat(listeners.get(0).finished()).isTrue();
        assertThat(listeners.get(1).effects())
                .hasValueSatisfying(effects -> assertThat(effects.size()).isZero());
        assertThat(listeners.get(1).reader().startAfter()).isEqualTo(7);
    }

    private void unknown(long xid) {
        TransactionRecorder transaction = recorder.begin();
        transaction.xid(xid);
        transaction.unknown();
    }

    private static void emit(TransactionRecorder transaction, String key) {
        transaction.emitted(UUID.randomUUID(), "orders", key, 1);
    }

    private Transaction only() {
        assertThat(recorder.history().transactions()).hasSize(1);
        return recorder.history().transactions().get(0);
    }
}

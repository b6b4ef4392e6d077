package io.postrider.proof.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.proof.check.Violation.Kind;
import io.postrider.proof.history.Commit;
import io.postrider.proof.history.History;
import io.postrider.proof.history.Outcome;
import io.postrider.proof.history.Readings;
import io.postrider.proof.history.Snapshot;
import io.postrider.proof.history.TopicLog;
import io.postrider.proof.history.Transaction;
import io.postrider.proof.record.ListenerRecorder;
import io.postrider.proof.record.TransactionRecorder;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** For every kind of violation: a history that is good, and the same one broken as little as possible. */
@Tag("once")
class HistoryCheckerTest {

    @Test
    void a_history_without_anything_is_good() {
        good(new HandWrittenHistory());
    }

    @Nested
    class Lost {
        @Test
        void every_committed_event_has_a_position() {
            good(new HandWrittenHistory().committed("a", "b").aborted("x").log("a b"));
            only(
                    Kind.LOST,
                    new HandWrittenHistory().committed("a", "b").aborted("x").log("a"));
        }

        @Test
        void in_every_topic() {
            HandWrittenHistory tale = new HandWrittenHistory().committed("a").log("a");
            TransactionRecorder other = tale.begin();
            other.emitted(HandWrittenHistory.id("b"), "payments", 9);
            other.committed();
            only(Kind.LOST, tale);
            tale.recorder().log("payments").at(1, HandWrittenHistory.id("b"));
            good(tale);
        }

        @Test
        void a_finished_listener_has_handled_every_position() {
            good(three().listener("mailer", "1a 2b 3c ."));
            only(Kind.LOST, three().listener("mailer", "1a 3c ."));
        }

        @Test
        void a_finished_transactional_listener_has_every_effect() {
            good(three().effects("account", "1a 2b 3c ."));
            only(Kind.LOST, three().effects("account", "1a 3c ."));
        }

        @Test
        void of_an_unknown_commit_all_or_nothing_is_in_the_log() {
            good(unknown("a", "b").log(""));
            good(unknown("a", "b").log("a b"));
            only(Kind.LOST, unknown("a", "b").log("a"));
        }

        private HandWrittenHistory unknown(String... events) {
            HandWrittenHistory tale = new HandWrittenHistory();
            TransactionRecorder transaction = tale.begin();
            tale.emit(transaction, events);
            transaction.unknown();
            return tale;
        }
    }

    @Nested
    class Duplicate {
        @Test
        void an_event_has_one_position() {
            good(new HandWrittenHistory().committed("a").committed("b").log("a b"));
            only(
                    Kind.DUPLICATE,
                    new HandWrittenHistory().committed("a").committed("b").log("a b a"));
        }

        @Test
        void within_a_transaction_it_is_not_called_torn() {
            only(
                    Kind.DUPLICATE,
                    new HandWrittenHistory().committed("a", "b").committed("c").log("a a b c a"));
        }

        @Test
        void an_effect_happens_once() {
            good(three().effects("account", "1a 2b 3c"));
            only(Kind.DUPLICATE, three().effects("account", "1a 2b 2b 3c"));
        }

        @Test
        void handling_twice_is_no_duplicate_if_one_of_them_was_rolled_back() {
            good(three().listener("account", "1a 2b | 1a 2b 3c .").effects("account", "1a 2b 3c ."));
            good(three().listener("relay", "1a 2b | 1a 2b 3c ."));
        }
    }

    @Nested
    class AbortedRead {
        @Test
        void a_rolled_back_event_has_no_position() {
            good(new HandWrittenHistory().committed("a").aborted("x").log("a"));
            only(
                    Kind.ABORTED_READ,
                    new HandWrittenHistory().committed("a").aborted("x").log("a x"));
        }

        @Test
        void nor_one_rolled_back_with_a_savepoint() {
            good(withSavepoint("a c"));
            only(Kind.ABORTED_READ, withSavepoint("a b c"));
        }

        @Test
        void nor_one_that_nobody_emitted() {
            only(Kind.ABORTED_READ, new HandWrittenHistory().committed("a").log("a ghost"));
        }

        @Test
        void nor_one_that_was_emitted_on_another_topic() {
            HandWrittenHistory tale = new HandWrittenHistory().committed("a").log("a");
            tale.recorder().log("payments").at(1, HandWrittenHistory.id("a"));
            only(Kind.ABORTED_READ, tale);
        }

        @Test
        void a_listener_never_sees_a_rolled_back_event() {
            good(new HandWrittenHistory()
                    .committed("a")
                    .aborted("x")
                    .committed("b")
                    .log("a b")
                    .listener("mailer", "1a 2b ."));
            only(
                    Kind.ABORTED_READ,
                    new HandWrittenHistory()
                            .committed("a")
                            .aborted("x")
                            .committed("b")
                            .log("a b")
                            .listener("mailer", "1a 2x ."));
        }

        private HandWrittenHistory withSavepoint(String log) {
            HandWrittenHistory tale = new HandWrittenHistory();
            TransactionRecorder transaction = tale.begin();
            tale.emit(transaction, "a");
            TransactionRecorder.Savepoint savepoint = transaction.savepoint();
            tale.emit(transaction, "b");
            transaction.rolledBackTo(savepoint);
            tale.emit(transaction, "c");
            transaction.committed();
            return tale.log(log);
        }
    }

    @Nested
    class PreCommittedRead {
        @Test
        void an_event_is_handled_after_its_commit_began() {
            good(committedAndHandledAt(5, 5));
            only(Kind.PRE_COMMITTED_READ, committedAndHandledAt(5, 4));
        }

        @Test
        void a_clock_that_passes_its_greatest_value_does_not_matter() {
            good(committedAndHandledAt(Long.MAX_VALUE, Long.MIN_VALUE));
        }

        @Test
        void without_times_nothing_is_said() {
            good(committedAndHandledAt(5, 0));
            good(committedAndHandledAt(0, 5));
        }

        private HandWrittenHistory committedAndHandledAt(long committing, long handling) {
            long[] clock = {committing};
            HandWrittenHistory tale = new HandWrittenHistory(clock);
            TransactionRecorder transaction = tale.begin();
            tale.emit(transaction, "a");
            transaction.committing();
            transaction.committed();
            clock[0] = handling;
            return tale.log("a").listener("mailer", "1a .");
        }
    }

    @Nested
    class PositionConflict {
        @Test
        void listeners_see_the_same_events_at_the_same_positions() {
            good(three().listener("mailer", "1a 2b 3c .").listener("audit", "1a 2b 3c ."));
            only(
                    Kind.POSITION_CONFLICT,
                    three().listener("mailer", "1a 2b 3c .").listener("audit", "1a 2c 3b ."));
        }

        @Test
        void a_position_that_was_delivered_stays_in_the_log() {
            good(new HandWrittenHistory().committed("a").log("a").listener("mailer", "1a"));
            only(
                    Kind.POSITION_CONFLICT,
                    new HandWrittenHistory().committed("a").log("a").listener("mailer", "1a 2a"));
        }

        @Test
        void effects_too() {
            only(Kind.POSITION_CONFLICT, three().effects("account", "1a 2c 3c ."));
        }

        @Test
        void two_events_do_not_share_a_position() {
            HandWrittenHistory tale =
                    new HandWrittenHistory().committed("a").committed("b").log("a");
            tale.recorder().log(HandWrittenHistory.TOPIC).at(1, HandWrittenHistory.id("b"));
            only(Kind.POSITION_CONFLICT, tale.listener("mailer", "1a ."));
        }
    }

    @Nested
    class Skip {
        @Test
        void a_running_listener_does_not_pass_over_a_position() {
            good(three().listener("mailer", "1a 2b"));
            only(Kind.SKIP, three().listener("mailer", "1a 3c"));
        }

        @Test
        void not_even_if_a_later_attempt_comes_back() {
            good(three().listener("mailer", "1a 2b | 2b 3c ."));
            only(Kind.SKIP, three().listener("mailer", "1a 3c | 2b 3c ."));
        }

        @Test
        void nor_its_first_position() {
            good(three().listener("mailer", "1a"));
            only(Kind.SKIP, three().listener("mailer", "2b"));
        }

        @Test
        void it_may_start_later() {
            HandWrittenHistory tale = three();
            tale.recorder().listener("mailer", HandWrittenHistory.TOPIC).startsAfter(1);
            good(tale.listener("mailer", "2b 3c ."));
        }

        @Test
        void two_nodes_that_both_own_it_do_not_skip() {
            HandWrittenHistory tale = three();
            ListenerRecorder mailer = tale.recorder().listener("mailer", HandWrittenHistory.TOPIC);
            ListenerRecorder.Attempt frozen = mailer.attempt();
            frozen.handled(1, HandWrittenHistory.id("a"));
            ListenerRecorder.Attempt successor = mailer.attempt();
            successor.handled(1, HandWrittenHistory.id("a"));
            frozen.handled(2, HandWrittenHistory.id("b"));
            successor.handled(2, HandWrittenHistory.id("b"));
            successor.handled(3, HandWrittenHistory.id("c"));
            frozen.handled(3, HandWrittenHistory.id("c"));
            mailer.finished();
            good(tale);
        }
    }

    @Nested
    class Backwards {
        @Test
        void within_an_attempt_positions_rise() {
            good(three().listener("mailer", "1a 2b | 1a 2b 3c ."));
            only(Kind.BACKWARDS, three().listener("mailer", "1a 2b 1a 2b 3c ."));
            only(Kind.BACKWARDS, three().listener("mailer", "1a 2b 2b 3c ."));
        }

        @Test
        void coming_back_for_what_was_passed_over_is_backwards_and_not_skipped() {
            only(Kind.BACKWARDS, three().listener("mailer", "1a 3c 2b ."));
        }

        @Test
        void effects_rise_as_well() {
            good(three().effects("account", "1a 2b 3c ."));
            only(Kind.BACKWARDS, three().effects("account", "1a 3c 2b ."));
            only(Kind.BACKWARDS, three().effects("account", "3c 1a 2b ."));
        }

        @Test
        void a_listener_does_not_go_before_its_start() {
            HandWrittenHistory tale = three();
            tale.recorder().listener("mailer", HandWrittenHistory.TOPIC).startsAfter(1);
            only(Kind.BACKWARDS, tale.listener("mailer", "1a 2b 3c ."));
        }
    }

    @Nested
    class Hole {
        @Test
        void positions_have_no_hole() {
            good(new HandWrittenHistory().committed("a").committed("b").log("a b"));
            only(
                    Kind.HOLE,
                    new HandWrittenHistory().committed("a").committed("b").log("a - b"));
        }

        @Test
        void they_begin_with_one() {
            only(Kind.HOLE, new HandWrittenHistory().committed("a").log("- a"));
            HandWrittenHistory zero = new HandWrittenHistory().committed("a");
            zero.recorder().log(HandWrittenHistory.TOPIC).at(0, HandWrittenHistory.id("a"));
            only(Kind.HOLE, zero);
        }

        @Test
        void or_after_the_head_before_the_run() {
            HandWrittenHistory tale = new HandWrittenHistory().committed("a");
            tale.recorder().log(HandWrittenHistory.TOPIC).startsAfter(41).at(42, HandWrittenHistory.id("a"));
            tale.recorder().listener("mailer", HandWrittenHistory.TOPIC).startsAfter(41);
            good(tale.listener("mailer", "42a ."));
        }

        @Test
        void a_listener_is_not_blamed_for_a_hole_in_the_log() {
            only(
                    Kind.HOLE,
                    new HandWrittenHistory()
                            .committed("a")
                            .committed("b")
                            .log("a - b")
                            .listener("mailer", "1a 3b ."));
            only(
                    Kind.HOLE,
                    new HandWrittenHistory()
                            .committed("a")
                            .committed("b")
                            .log("- a b")
                            .listener("mailer", "2a 3b ."));
        }

        @Test
        void a_log_read_in_any_order_is_put_in_order() {
            HandWrittenHistory tale = new HandWrittenHistory().committed("a").committed("b");
            tale.recorder()
                    .log(HandWrittenHistory.TOPIC)
                    .at(2, HandWrittenHistory.id("b"))
                    .at(1, HandWrittenHistory.id("a"));
            good(tale);
        }
    }

    @Nested
    class Torn {
        @Test
        void the_events_of_a_transaction_stand_together() {
            good(new HandWrittenHistory().committed("a", "b").committed("c").log("a b c"));
            only(
                    Kind.TORN,
                    new HandWrittenHistory().committed("a", "b").committed("c").log("a c b"));
        }

        @Test
        void in_the_order_of_emitting() {
            only(
                    Kind.TORN,
                    new HandWrittenHistory().committed("a", "b").committed("c").log("b a c"));
        }

        @Test
        void in_each_topic_for_itself() {
            HandWrittenHistory tale = new HandWrittenHistory();
            TransactionRecorder transaction = tale.begin();
            transaction.emitted(HandWrittenHistory.id("a"), "orders", 1);
            transaction.emitted(HandWrittenHistory.id("b"), "payments", 2);
            transaction.emitted(HandWrittenHistory.id("c"), "orders", 3);
            transaction.committed();
            tale.committed("d");
            tale.recorder().log("payments").at(1, HandWrittenHistory.id("b"));
            good(tale.log("d a c"));
        }
    }

    @Nested
    class Causal {
        @Test
        void an_event_comes_after_those_whose_key_version_its_transaction_had_read() {
            good(readVersionOne().log("a b"));
            only(Kind.CAUSAL, readVersionOne().log("b a"));
        }

        @Test
        void an_event_comes_after_those_in_its_snapshot() {
            good(withSnapshot("11:11:").log("a b"));
            only(Kind.CAUSAL, withSnapshot("11:11:").log("b a"));
            only(Kind.CAUSAL, withSnapshot("9:11:9").log("b a"));
        }

        @Test
        void those_in_progress_or_later_may_come_in_any_order() {
            good(withSnapshot("10:11:10").log("b a"));
            good(withSnapshot("10:10:").log("b a"));
        }

        @Test
        void a_transaction_does_not_see_itself_though_its_snapshot_leaves_it_out() {
            good(twoEventsOf(11, "11:12:").log("a b c"));
            good(twoEventsOf(11, "10:12:10").log("b c a"));
            only(Kind.CAUSAL, twoEventsOf(11, "11:12:").log("b c a"));
        }

        @Test
        void nor_those_between_its_snapshot_and_the_xid_it_drew_afterwards() {
            good(twoEventsOf(15, "10:10:").log("b c a"));
            assertThat(Snapshot.parse("10:10:").withInProgress(15)).hasToString("10:10:");
            assertThat(Snapshot.parse("11:14:12").withInProgress(12)).hasToString("11:14:12");
            assertThat(Snapshot.parse("11:14:12").withInProgress(13)).hasToString("11:14:12,13");
        }

        private HandWrittenHistory twoEventsOf(long xid, String snapshot) {
            HandWrittenHistory tale = new HandWrittenHistory();
            TransactionRecorder first = tale.begin();
            first.xid(10);
            tale.emit(first, "a");
            first.committed();
            TransactionRecorder second = tale.begin();
            second.xid(xid);
            second.saw(Snapshot.parse(snapshot));
            tale.emit(second, "b", "c");
            second.committed();
            return tale;
        }

        @Test
        void what_was_seen_after_emitting_does_not_count() {
            HandWrittenHistory tale = holderOfVersionOne();
            TransactionRecorder second = tale.begin();
            tale.emit(second, "b");
            second.saw("k", 1);
            second.committed();
            good(tale.log("b a"));
        }

        @Test
        void what_a_transaction_reads_under_its_own_lock_is_not_the_work_of_another() {
            HandWrittenHistory tale = new HandWrittenHistory();
            TransactionRecorder transaction = tale.begin();
            transaction.locked("k", 1);
            transaction.saw("k", 1);
            tale.emit(transaction, "a", "b");
            transaction.committed();
            good(tale.log("a b"));
        }

        private HandWrittenHistory readVersionOne() {
            HandWrittenHistory tale = holderOfVersionOne();
            TransactionRecorder second = tale.begin();
            second.saw("k", 1);
            tale.emit(second, "b");
            second.committed();
            return tale;
        }

        private HandWrittenHistory holderOfVersionOne() {
            HandWrittenHistory tale = new HandWrittenHistory();
            TransactionRecorder first = tale.begin();
            first.locked("k", 1);
            tale.emit(first, "a");
            first.committed();
            return tale;
        }

        private HandWrittenHistory withSnapshot(String snapshot) {
            HandWrittenHistory tale = new HandWrittenHistory();
            TransactionRecorder first = tale.begin();
            first.xid(10);
            tale.emit(first, "a");
            first.committed();
            TransactionRecorder second = tale.begin();
            second.xid(11);
            second.saw(Snapshot.parse(snapshot));
            tale.emit(second, "b");
            second.committed();
            return tale;
        }
    }

    @Nested
    class KeyOrder {
        @Test
        void the_events_of_a_key_come_in_the_order_of_its_lock() {
            good(holders(1, 2).log("a b"));
            only(Kind.KEY_ORDER, holders(1, 2).log("b a"));
        }

        @Test
        void and_in_the_order_of_the_wal() {
            good(inWal(10, 11).log("a b"));
            only(Kind.KEY_ORDER, inWal(11, 10).log("a b"));
        }

        @Test
        void two_cannot_have_held_the_same_version() {
            only(Kind.KEY_ORDER, holders(1, 1).log("a b"));
        }

        @Test
        void each_is_compared_with_the_latest_holder_before_it() {
            HandWrittenHistory tale = new HandWrittenHistory();
            hold(tale, "k", 3, "a");
            hold(tale, "k", 1, "b");
            hold(tale, "k", 2, "c");
            assertThat(tale.log("a b c").violations()).hasSize(2);

            HandWrittenHistory byWal = new HandWrittenHistory();
            hold(byWal, "k", 1, "a");
            hold(byWal, "k", 2, "b");
            hold(byWal, "k", 3, "c");
            byWal.recorder().commitOrder(11, 12, 10);
            assertThat(byWal.log("a b c").violations()).hasSize(2);
        }

        @Test
        void who_does_not_hold_the_lock_is_owed_no_order() {
            HandWrittenHistory tale = new HandWrittenHistory();
            TransactionRecorder first = tale.begin();
            first.xid(10);
            tale.emitOf("k", first, "a");
            first.locked("k", 2);
            first.committed();
            TransactionRecorder second = tale.begin();
            second.xid(11);
            second.locked("k", 1);
            tale.emitOf("k", second, "b");
            second.committed();
            tale.recorder().commitOrder(11, 10);
            good(tale.log("a b"));
        }

        @Test
        void other_keys_have_other_orders() {
            HandWrittenHistory tale = new HandWrittenHistory();
            hold(tale, "k", 2, "a");
            hold(tale, "l", 1, "b");
            good(tale.log("a b"));
        }

        private HandWrittenHistory holders(long first, long second) {
            HandWrittenHistory tale = new HandWrittenHistory();
            hold(tale, "k", first, "a");
            hold(tale, "k", second, "b");
            return tale;
        }

        private HandWrittenHistory inWal(long... xids) {
            HandWrittenHistory tale = holders(1, 2);
            tale.recorder().commitOrder(xids);
            return tale;
        }

        private void hold(HandWrittenHistory tale, String key, long version, String event) {
            TransactionRecorder transaction = tale.begin();
            transaction.xid(10 + event.charAt(0) - 'a');
            transaction.locked(key, version);
            tale.emitOf(key, transaction, event);
            transaction.committed();
        }
    }

    @Nested
    class UnseenAtEnd {
        @Test
        void a_finished_listener_has_reached_the_head() {
            good(three().listener("mailer", "1a 2b 3c ."));
            good(three().listener("mailer", "1a 2b"));
            only(Kind.UNSEEN_AT_END, three().listener("mailer", "1a 2b ."));
            only(Kind.UNSEEN_AT_END, three().listener("mailer", "."));
        }

        @Test
        void with_its_effects() {
            only(Kind.UNSEEN_AT_END, three().listener("account", "1a 2b 3c .").effects("account", "1a 2b ."));
        }
    }

    @Test
    void a_thousand_of_a_kind_are_counted_and_not_all_spelt_out() {
        HandWrittenHistory tale = new HandWrittenHistory();
        for (int i = 0; i < 1_000; i++) {
            tale.committed("e" + i);
        }
        List<Violation> violations = tale.violations();
        assertThat(violations).hasSize(101);
        assertThat(violations.get(100)).hasToString("LOST (G2) … and 900 more");
    }

    @Test
    void evidence_that_contradicts_itself_is_refused() {
        HandWrittenHistory twice = new HandWrittenHistory().committed("a").committed("a");
        assertThatThrownBy(twice::violations).hasMessageContaining("was emitted again");
        HandWrittenHistory sameXid = new HandWrittenHistory();
        for (String event : List.of("a", "b", "c")) {
            TransactionRecorder transaction = sameXid.begin();
            transaction.xid(event.equals("b") ? 9 : 10);
            sameXid.emit(transaction, event);
            transaction.committed();
        }
        assertThatThrownBy(sameXid::violations).hasMessage("two committed transactions have the xid 10");
        Commit third = new Commit(Outcome.COMMITTED, 3, 0);
        History sameCommit = new History(
                List.of(
                        new Transaction(1, 10, third, List.of(), List.of()),
                        new Transaction(2, 11, third, List.of(), List.of())),
                List.of(),
                List.of());
        assertThatThrownBy(() -> HistoryChecker.check(sameCommit))
                .hasMessage("two committed transactions have the commit number 3");
        TopicLog log = new TopicLog("orders", 0, new Readings.Collector().collected());
        assertThatThrownBy(() -> HistoryChecker.check(new History(List.of(), List.of(log, log), List.of())))
                .hasMessage("two logs of topic orders");
    }

    @Test
    void a_listener_of_a_topic_without_a_log_has_nothing_to_see() {
        good(new HandWrittenHistory().listener("mailer", "."));
        only(Kind.ABORTED_READ, new HandWrittenHistory().listener("mailer", "1a ."));
    }

    /** Three events of three transactions at positions 1 to 3. */
    private static HandWrittenHistory three() {
        return new HandWrittenHistory()
                .committed("a")
                .committed("b")
                .committed("c")
                .log("a b c");
    }

    private static void good(HandWrittenHistory tale) {
        assertThat(tale.violations()).isEmpty();
    }

    private static void only(Kind kind, HandWrittenHistory tale) {
        assertThat(tale.kinds()).as("%s", tale.violations()).containsExactly(kind);
    }
}

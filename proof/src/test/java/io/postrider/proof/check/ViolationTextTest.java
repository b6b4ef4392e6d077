package io.postrider.proof.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.proof.history.Snapshot;
import io.postrider.proof.record.TransactionRecorder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A violation is one line that says which events and which positions, and of one fault there is one line. */
@Tag("once")
class ViolationTextTest {
    private static final String A = "event " + HandWrittenHistory.id("a") + " (T1.1, id 1)";
    private static final String B_OF_FIRST = "event " + HandWrittenHistory.id("b") + " (T1.2, id 2)";
    private static final String B = "event " + HandWrittenHistory.id("b") + " (T2.1, id 2)";

    @Test
    void lost() {
        says("LOST (G2) orders: " + B + " committed and has no position", two().log("a"));
        says(
                "LOST (G2) listener mailer: passed over 1 and never came back, though it finished",
                two().log("a b").listener("mailer", "2b ."));
    }

    @Test
    void duplicate() {
        says("DUPLICATE (G2, G8) orders: " + A + " stands at 1 and at 3", two().log("a b a"));
        says(
                "DUPLICATE (G2, G8) listener account's effects: 1 twice",
                two().log("a b").effects("account", "1a 1a 2b"));
    }

    @Test
    void aborted_read() {
        says(
                "ABORTED_READ (G1) orders: at 2 stands event " + HandWrittenHistory.id("x") + ", which nobody emitted",
                new HandWrittenHistory().committed("a").log("a x"));
        says(
                "ABORTED_READ (G1) orders: at 1 stands " + A + ", rolled back",
                new HandWrittenHistory().aborted("a").log("a"));
        says(
                "ABORTED_READ (G1) listener mailer: saw at 1 " + A + ", rolled back",
                new HandWrittenHistory().aborted("a").committed("b").log("b").listener("mailer", "1a"));
        HandWrittenHistory undone = new HandWrittenHistory();
        TransactionRecorder transaction = undone.begin();
        TransactionRecorder.Savepoint savepoint = transaction.savepoint();
        undone.emit(transaction, "a");
        transaction.rolledBackTo(savepoint);
        transaction.committed();
        says("ABORTED_READ (G1) orders: at 1 stands " + A + ", rolled back with a savepoint", undone.log("a"));
        HandWrittenHistory astray = new HandWrittenHistory().committed("a").log("a");
        astray.recorder().log("payments").at(1, HandWrittenHistory.id("a"));
        says("ABORTED_READ (G1) payments: at 1 stands " + A + ", emitted on orders", astray);
    }

    @Test
    void pre_committed_read() {
        long[] clock = {50};
        HandWrittenHistory tale = new HandWrittenHistory(clock);
        TransactionRecorder transaction = tale.begin();
        tale.emit(transaction, "a");
        transaction.committing();
        transaction.committed();
        clock[0] = 43;
        says(
                "PRE_COMMITTED_READ (G1, G10) listener mailer: handled " + A + " at 1, 7 ns before its commit began",
                tale.log("a").listener("mailer", "1a"));
    }

    @Test
    void position_conflict() {
        says(
                "POSITION_CONFLICT (G7) listener mailer: saw at 1 " + B + ", where the log of orders has "
                        + HandWrittenHistory.id("a"),
                two().log("a b").listener("mailer", "1b"));
        says(
                "POSITION_CONFLICT (G7) listener mailer: saw at 3 " + B + ", where the log of orders has nothing",
                two().log("a b").listener("mailer", "3b"));
        HandWrittenHistory shared = two().log("a");
        shared.recorder().log(HandWrittenHistory.TOPIC).at(1, HandWrittenHistory.id("b"));
        says(
                "POSITION_CONFLICT (G7) orders: two events at 1, " + HandWrittenHistory.id("a") + " and "
                        + HandWrittenHistory.id("b"),
                shared);
    }

    @Test
    void skip() {
        says(
                "SKIP (G8) listener mailer: handled 2 before it had handled 1",
                two().log("a b").listener("mailer", "2b"));
    }

    @Test
    void backwards() {
        says(
                "BACKWARDS (G8) listener mailer: handled 1 after 2",
                two().log("a b").listener("mailer", "1a 2b 1a"));
        HandWrittenHistory later = two().log("a b");
        later.recorder().listener("mailer", HandWrittenHistory.TOPIC).startsAfter(1);
        says("BACKWARDS (G8) listener mailer: handled 1, but began after 1", later.listener("mailer", "1a"));
    }

    @Test
    void hole() {
        says("HOLE (G3) orders: nothing at 2, head is 3", two().log("a - b"));
        says("HOLE (G3) orders: nothing at 2..4, head is 5", two().log("a - - - b"));
        HandWrittenHistory before = new HandWrittenHistory().committed("a");
        before.recorder().log(HandWrittenHistory.TOPIC).startsAfter(5).at(5, HandWrittenHistory.id("a"));
        says("HOLE (G3) orders: position 5, where the first is 6", before);
    }

    @Test
    void torn() {
        says(
                "TORN (G5) orders: between " + A + " at 1 and " + B_OF_FIRST + " at 3 stands T2",
                new HandWrittenHistory().committed("a", "b").committed("c").log("a c b"));
        says(
                "TORN (G5) orders: " + B_OF_FIRST + " at 1 before " + A + " at 2, which was emitted first",
                new HandWrittenHistory().committed("a", "b").log("b a"));
    }

    @Test
    void causal() {
        says(
                "CAUSAL (G4) orders: " + B + " at 1 before " + A + " at 2, which it could see by version 1 of key k",
                seeing("").log("b a"));
        says(
                "CAUSAL (G4) orders: " + B + " at 1 before " + A + " at 2, which it could see in snapshot 9:11:9",
                seeing("9:11:9").log("b a"));
    }

    @Test
    void key_order() {
        says(
                "KEY_ORDER (G4) orders: key k: " + B + " of version 2 at 1 before " + A + " of version 1 at 2",
                holders().log("b a"));
        HandWrittenHistory inWal = holders();
        inWal.recorder().commitOrder(11, 10);
        says(
                "KEY_ORDER (G4) orders: key k: " + A + " of commit 2 at 1 before " + B + " of commit 1 at 2",
                inWal.log("a b"));
    }

    @Test
    void unseen_at_end() {
        says(
                "UNSEEN_AT_END (G8) listener mailer: finished without 2",
                two().log("a b").listener("mailer", "1a ."));
        says(
                "UNSEEN_AT_END (G8) listener account's effects: finished without 1..2",
                two().log("a b").effects("account", "."));
    }

    private static HandWrittenHistory two() {
        return new HandWrittenHistory().committed("a").committed("b");
    }

    /** The second transaction could see the first, by its snapshot or else by the version of a key. */
    private static HandWrittenHistory seeing(String snapshot) {
        HandWrittenHistory tale = new HandWrittenHistory();
        TransactionRecorder first = tale.begin();
        first.xid(10);
        first.locked("k", 1);
        tale.emit(first, "a");
        first.committed();
        TransactionRecorder second = tale.begin();
        second.xid(11);
        if (snapshot.isEmpty()) {
            // Both at once are still one fault.
            second.saw("k", 1);
            second.saw(Snapshot.parse("11:11:"));
        } else {
            second.saw(Snapshot.parse(snapshot));
        }
        tale.emit(second, "b");
        second.committed();
        return tale;
    }

    private static HandWrittenHistory holders() {
        HandWrittenHistory tale = new HandWrittenHistory();
        for (int i = 1; i <= 2; i++) {
            TransactionRecorder transaction = tale.begin();
            transaction.xid(9 + i);
            transaction.locked("k", i);
            tale.emitOf("k", transaction, i == 1 ? "a" : "b");
            transaction.committed();
        }
        return tale;
    }

    private static void says(String line, HandWrittenHistory tale) {
        assertThat(tale.violations()).map(Violation::toString).containsExactly(line);
    }
}

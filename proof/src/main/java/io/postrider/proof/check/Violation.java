package io.postrider.proof.check;

/**
 * One violation of a guarantee in a history.
 *
 * @param kind the rule
 * @param detail the events and their positions, in one line
 */
public record Violation(Kind kind, String detail) {

    /** The rules, each with its guarantee. A fault is reported under one name, the most specific. */
    public enum Kind {
        /**
         * A committed event has no position; or a finished listener skipped its position and never came back.
         */
        LOST("G2"),

        /** An event has two positions; or a transactional listener's effect happened twice. */
        DUPLICATE("G2, G8"),

        /** An event that was rolled back, with its transaction or a savepoint, or never emitted, was read. */
        ABORTED_READ("G1"),

        /** An event was handled before its producer's commit began. */
        PRE_COMMITTED_READ("G1, G10"),

        /** Different events were seen at one position. */
        POSITION_CONFLICT("G7"),

        /** A listener skipped a position that it had not handled; it came back in a later attempt, or is still running. */
        SKIP("G8"),

        /** A listener handled a position after a later one, within one attempt. */
        BACKWARDS("G8"),

        /** The positions of a topic are not 1..head. */
        HOLE("G3"),

        /** The events of one transaction in a topic are not contiguous, or not in the order of emitting. */
        TORN("G5"),

        /** An event is before one whose commit its transaction could see when it emitted. */
        CAUSAL("G4"),

        /** Events of one key are not in the order in which their transactions held the key's lock. */
        KEY_ORDER("G4"),

        /** A finished listener stopped before the head. */
        UNSEEN_AT_END("G8");

        private final String guarantee;

        Kind(String guarantee) {
            this.guarantee = guarantee;
        }

        /** The numbers of the guarantees that it breaks. */
        public String guarantee() {
            return guarantee;
        }
    }

    @Override
    public String toString() {
        return kind + " (" + kind.guarantee + ") " + detail;
    }
}

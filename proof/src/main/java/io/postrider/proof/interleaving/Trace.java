package io.postrider.proof.interleaving;

/**
 * What happened during a schedule: {@code A1 B1… A2 …B1 B2} means that the first step of B blocked and ended after the second
 * step of A.
 */
public final class Trace {
    private final StringBuilder text = new StringBuilder();
    private int blockings;

    Trace() {}

    void ended(int session, int step) {
        space().append(Schedule.letter(session)).append(step);
    }

    void blocked(int session, int step) {
        blockings++;
        space().append(Schedule.letter(session)).append(step).append('…');
    }

    void endedLate(int session, int step) {
        space().append('…').append(Schedule.letter(session)).append(step);
    }

    /** The number of steps that had to wait for another session. */
    public int blockings() {
        return blockings;
    }

    @Override
    public String toString() {
        return text.toString();
    }

    private StringBuilder space() {
        return text.length() == 0 ? text : text.append(' ');
    }
}

package io.postrider.proof.interleaving;

import java.util.Arrays;

/**
 * One order of the steps of several sessions: for each turn, the session whose step is next. Written with one letter per session:
 * {@code ABBA} is the first step of A, both of B, the second of A.
 */
public final class Schedule {
    static final int MOST_SESSIONS = 26;

    private final byte[] turns;

    Schedule(byte[] turns) {
        this.turns = turns.clone();
    }

    /** Parses the format of {@link #toString()}, to repeat a failed schedule. */
    public static Schedule parse(String letters) {
        byte[] turns = new byte[letters.length()];
        for (int i = 0; i < turns.length; i++) {
            int session = letters.charAt(i) - 'A';
            if (session < 0 || session >= MOST_SESSIONS) {
                throw new IllegalArgumentException("a schedule is letters A..Z, was " + letters);
            }
            turns[i] = (byte) session;
        }
        return new Schedule(turns);
    }

    /** The total number of steps. */
    public int length() {
        return turns.length;
    }

    /** The session whose step is at this turn, from 0. */
    public int session(int turn) {
        return turns[turn];
    }

    /** The number of steps of a session. */
    public int stepsOf(int session) {
        int steps = 0;
        for (byte turn : turns) {
            steps += turn == session ? 1 : 0;
        }
        return steps;
    }

    static char letter(int session) {
        return (char) ('A' + session);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Schedule that && Arrays.equals(turns, that.turns);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(turns);
    }

    @Override
    public String toString() {
        StringBuilder letters = new StringBuilder(turns.length);
        for (byte turn : turns) {
            letters.append(letter(turn));
        }
        return letters.toString();
    }
}

package io.postrider.proof.check;

/** Formats a range of positions. */
final class PositionRange {
    private PositionRange() {}

    static String of(long first, long last) {
        return first == last ? Long.toString(first) : first + ".." + last;
    }
}

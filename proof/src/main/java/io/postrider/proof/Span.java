package io.postrider.proof;

/** Says a range of positions. */
final class Span {
    private Span() {}

    static String of(long first, long last) {
        return first == last ? Long.toString(first) : first + ".." + last;
    }
}

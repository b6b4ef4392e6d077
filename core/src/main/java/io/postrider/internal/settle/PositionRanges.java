package io.postrider.internal.settle;

import java.util.Collection;

/** Positions as the text of an {@code int8multirange}. */
final class PositionRanges {
    private PositionRanges() {}

    /** The text for these positions, in any order and each once. Neighbours share a range: 7, 3, 4 are {@code {[3,5),[7,8)}}. */
    static String text(Collection<Long> positions) {
        long[] sorted = positions.stream().mapToLong(Long::longValue).sorted().toArray();
        StringBuilder text = new StringBuilder("{");
        for (int first = 0; first < sorted.length; ) {
            int last = first;
            while (last + 1 < sorted.length && sorted[last + 1] == sorted[last] + 1) {
                last++;
            }
            text.append(first == 0 ? "[" : ",[")
                    .append(sorted[first])
                    .append(',')
                    .append(sorted[last] + 1)
                    .append(')');
            first = last + 1;
        }
        return text.append('}').toString();
    }
}

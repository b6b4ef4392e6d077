package io.postrider.internal.shadow;

import io.postrider.admin.Comparison.Difference;
import io.postrider.admin.Comparison.Example;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Compares what a listener in shadow has recorded with what another publisher has sent. First every message is added, in the order of
 * its lane; then the differences are asked for. Not thread-safe.
 */
final class Comparer {
    static final Difference NONE = new Difference(0, List.of());

    private static final int EXAMPLES = 20;

    private final List<Recorded> recorded;
    private final Map<String, Integer> byId = new HashMap<>();
    private final Map<String, List<Integer>> lanes = new LinkedHashMap<>();
    private final BitSet seen = new BitSet();
    private final Found repeated = new Found();
    private final Found different = new Found();
    private final Map<String, Integer> unknown = new LinkedHashMap<>();
    private boolean payloadCompared;
    private final boolean whole;
    private int first = Integer.MAX_VALUE;
    private int last = -1;

    /**
     * @param recorded in the order of positions
     * @param whole whether all messages are known. If not, events before the first message are not compared
     */
    Comparer(List<Recorded> recorded, boolean whole) {
        this.whole = whole;
        this.recorded = recorded;
        for (int i = 0; i < recorded.size(); i++) {
            byId.put(recorded.get(i).event().toString(), i);
        }
        for (int i = 0; i < recorded.size(); i++) {
            String other = recorded.get(i).otherId();
            if (other != null) {
                byId.putIfAbsent(other, i);
            }
        }
    }

    void add(Seen message) {
        Integer at = byId.get(message.id());
        if (at == null) {
            unknown.merge(message.id(), 1, Integer::sum);
            return;
        }
        Recorded event = recorded.get(at);
        if (seen.get(at)) {
            repeated.add(event.position(), event.event().toString(), null);
            return;
        }
        seen.set(at);
        first = Math.min(first, at);
        last = Math.max(last, at);
        lanes.computeIfAbsent(message.lane(), lane -> new ArrayList<>()).add(at);
        if (message.payload() != MessageHash.UNKNOWN) {
            payloadCompared = true;
            if (!isSame(event, message)) {
                different.add(event.position(), event.event().toString(), "the payload differs");
            }
        }
    }

    private static boolean isSame(Recorded event, Seen message) {
        return message.payload() == event.payload()
                || message.payload() == event.message()
                || message.message() == event.payload()
                || message.message() == event.message();
    }

    boolean isPayloadCompared() {
        return payloadCompared;
    }

    /** The ids of messages that match no recorded event, with how often they were seen. */
    Map<String, Integer> unknown() {
        return unknown;
    }

    /** The index of the first event that is compared. */
    int first() {
        return whole || last < 0 ? 0 : first;
    }

    Difference missing() {
        return unseen(first(), last);
    }

    Difference pending() {
        return unseen(last + 1, recorded.size() - 1);
    }

    Difference repeated() {
        return repeated.difference();
    }

    Difference different() {
        return different.difference();
    }

    private Difference unseen(int from, int to) {
        Found found = new Found();
        for (int i = seen.nextClearBit(from); i <= to; i = seen.nextClearBit(i + 1)) {
            found.add(recorded.get(i).position(), recorded.get(i).event().toString(), null);
        }
        return found.difference();
    }

    // ── order ───────────────────────────────────────────────────────────────────────────────────────────────────────

    /** In each lane, the fewest events whose removal leaves the others in order. */
    Difference reordered() {
        Found found = new Found();
        lanes.values().forEach(lane -> reordered(lane, found));
        return found.difference();
    }

    private void reordered(List<Integer> lane, Found found) {
        BitSet inOrder = longestInOrder(lane);
        for (int i = inOrder.nextClearBit(0); i < lane.size(); i = inOrder.nextClearBit(i + 1)) {
            Recorded event = recorded.get(lane.get(i));
            @Nullable
            Long before = i == 0 ? null : recorded.get(lane.get(i - 1)).position();
            @Nullable
            Long after =
                    i == lane.size() - 1 ? null : recorded.get(lane.get(i + 1)).position();
            found.add(
                    event.position(),
                    event.event().toString(),
                    "sent " + (before == null ? "first" : "after position " + before)
                            + (after == null ? ", last" : ", before position " + after));
        }
    }

    /** The places of a longest increasing subsequence. */
    private static BitSet longestInOrder(List<Integer> lane) {
        int[] tails = new int[lane.size()]; // the place of the smallest end of a sequence of each length
        int[] previous = new int[lane.size()];
        int length = 0;
        for (int i = 0; i < lane.size(); i++) {
            int low = 0;
            int high = length;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (lane.get(tails[middle]) < lane.get(i)) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            previous[i] = low == 0 ? -1 : tails[low - 1];
            tails[low] = i;
            length = Math.max(length, low + 1);
        }
        BitSet places = new BitSet(lane.size());
        for (int i = length == 0 ? -1 : tails[length - 1]; i >= 0; i = previous[i]) {
            places.set(i);
        }
        return places;
    }

    /** Counts differences and keeps the first ones as examples. */
    static final class Found {
        private final List<Example> examples = new ArrayList<>();
        private long count;

        void add(@Nullable Long position, String id, @Nullable String detail) {
            count++;
            if (examples.size() < EXAMPLES) {
                examples.add(new Example(position, id, detail));
            }
        }

        Difference difference() {
            return new Difference(count, examples);
        }
    }
}

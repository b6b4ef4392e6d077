package io.postrider.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a publisher differs from a listener in shadow mode.
 *
 * @param publisher what it was compared with
 * @param from the first position that was compared
 * @param to the last position that was compared
 * @param events how many events the listener would have sent
 * @param orderCompared whether the publisher has an order to compare with
 * @param payloadCompared whether it has payloads to compare with
 * @param missing events that the listener would have sent and the publisher has not
 * @param extra messages of the publisher that the listener would not have sent
 * @param reordered events that the publisher has sent out of order: the fewest whose removal leaves the others in order
 * @param different events whose payload differs
 * @param repeated events that the publisher has sent more than once
 * @param pending events after the last one that the publisher has sent: it may only be behind
 * @param failed events at which the handler of a transactional listener failed in shadow mode
 */
public record Comparison(
        String listener,
        String publisher,
        long from,
        long to,
        long events,
        boolean orderCompared,
        boolean payloadCompared,
        Difference missing,
        Difference extra,
        Difference reordered,
        Difference different,
        Difference repeated,
        Difference pending,
        Difference failed) {
    /** Whether nothing is missing, extra, reordered, different or failed. Repeated and pending events are not counted. */
    public boolean isSame() {
        return missing.count() + extra.count() + reordered.count() + different.count() + failed.count() == 0;
    }

    /**
     * A kind of difference.
     *
     * @param examples the first ones, at most 20
     */
    public record Difference(long count, List<Example> examples) {
        public Difference {
            examples = List.copyOf(examples);
        }
    }

    /**
     * One difference.
     *
     * @param position the position of the event; null if the message is no event of the topic
     * @param id the id of the event, or the one that the publisher has
     * @param detail what is known about it
     */
    public record Example(
            @Nullable Long position, String id, @Nullable String detail) {}
}

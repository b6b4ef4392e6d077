package io.postrider.internal.listen;

import io.postrider.internal.listen.HandlingResult.Delivered;
import io.postrider.internal.listen.HandlingResult.Failed;
import io.postrider.internal.listen.HandlingResult.FailedInBatch;
import io.postrider.internal.listen.HandlingResult.PartlyTaken;
import io.postrider.internal.listen.HandlingResult.Unavailable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Combines the results of {@link KeyGroups} into one for the whole batch: that of the first event that was not handled. All before
 * it were handled, and the ones behind it are handled again. Thread-safe.
 */
final class GroupResults {
    private HandlingResult first = new Delivered();
    private int handled = Integer.MAX_VALUE;
    private @Nullable Unavailable unavailable;
    private boolean wantsNoMore;

    /** Whether the sink accepts no more, so that no other group needs to start. */
    synchronized boolean wantsNoMore() {
        return wantsNoMore;
    }

    synchronized HandlingResult first() {
        return first;
    }

    /** @param group the indexes of its events in the batch */
    synchronized void add(List<Integer> group, HandlingResult result) {
        if (result instanceof Failed failed) {
            int at = group.get(failed.handled());
            keepFirst(at, new Failed(at, failed.error(), failed.notBefore()));
        } else if (result instanceof FailedInBatch) {
            keepFirst(group.get(0), result);
        } else if (result instanceof Unavailable now) {
            int at = group.get(now.handled());
            unavailable = unavailable == null ? now : unavailable;
            wantsNoMore = true;
            keepFirst(at, new Unavailable(at, now.error(), now.notBefore()));
        } else if (result instanceof PartlyTaken partly) {
            int at = group.get(partly.handled());
            wantsNoMore = true;
            keepFirst(at, new PartlyTaken(at));
        }
    }

    /** The group that begins at this index was not started, nor were those behind it. */
    synchronized void notStarted(int at) {
        keepFirst(
                at,
                unavailable == null
                        ? new PartlyTaken(at)
                        : new Unavailable(at, unavailable.error(), unavailable.notBefore()));
    }

    private void keepFirst(int at, HandlingResult result) {
        if (at < handled) {
            handled = at;
            first = result;
        }
    }
}

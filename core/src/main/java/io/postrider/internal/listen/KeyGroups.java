package io.postrider.internal.listen;

import io.postrider.LogEvent;
import io.postrider.UnavailableException;
import io.postrider.internal.listen.HandlingResult.Failed;
import io.postrider.internal.listen.HandlingResult.FailedInBatch;
import io.postrider.internal.listen.HandlingResult.Unavailable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

/**
 * Handles the events of a batch in parallel, grouped by key: events of one key stay in order, and an event without a key is a group
 * of its own. At most {@code concurrency} groups run at the same time.
 */
final class KeyGroups {
    private final int concurrency;
    private final ExecutorService threads;

    KeyGroups(int concurrency, ExecutorService threads) {
        this.concurrency = concurrency;
        this.threads = threads;
    }

    /** Handles the events of one group in order; the result counts the events of the group. */
    interface GroupHandler {
        HandlingResult handle(List<LogEvent> group) throws Exception;
    }

    boolean canDivide(List<LogEvent> events) {
        return concurrency > 1 && events.size() > 1;
    }

    /** @param isEnough whether to start no further group; the groups that were not started are handled next time */
    HandlingResult handle(List<LogEvent> events, GroupHandler handler, BooleanSupplier isEnough)
            throws InterruptedException {
        Semaphore free = new Semaphore(concurrency);
        List<Future<?>> running = new ArrayList<>();
        GroupResults results = new GroupResults();
        for (List<Integer> group : byKey(events)) {
            free.acquire();
            if (results.wantsNoMore() || isEnough.getAsBoolean()) {
                results.notStarted(group.get(0));
                break;
            }
            Runnable run = () -> {
                try {
                    results.add(
                            group,
                            handle(handler, group.stream().map(events::get).toList()));
                } finally {
                    free.release();
                }
            };
            try {
                running.add(threads.submit(run));
            } catch (RejectedExecutionException e) {
                run.run(); // the node is closing: finish what has begun
            }
        }
        await(running);
        HandlingResult first = results.first();
        if (first instanceof Failed failed) {
            HandlingResult.rethrowUnlessByEvent(failed.error());
        } else if (first instanceof FailedInBatch failed) {
            HandlingResult.rethrowUnlessByEvent(failed.error());
        }
        return first;
    }

    /** The indexes of the events, by key. */
    private static Iterable<List<Integer>> byKey(List<LogEvent> events) {
        Map<Object, List<Integer>> groups = new LinkedHashMap<>();
        for (int i = 0; i < events.size(); i++) {
            Object key =
                    events.get(i).key() == null ? (Object) i : events.get(i).key();
            groups.computeIfAbsent(key, missing -> new ArrayList<>()).add(i);
        }
        return groups.values();
    }

    private static HandlingResult handle(GroupHandler handler, List<LogEvent> group) {
        try {
            return handler.handle(group);
        } catch (UnavailableException e) {
            return new Unavailable(0, e);
        } catch (Throwable e) {
            return HandlingResult.ofThrown(e, group.size());
        }
    }

    private static void await(List<Future<?>> running) throws InterruptedException {
        for (Future<?> group : running) {
            try {
                group.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("a group of events failed outside its handler", e.getCause());
            }
        }
    }
}

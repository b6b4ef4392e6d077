package io.postrider.internal.watch;

import io.postrider.ClaimedJob;
import io.postrider.LogEvent;
import io.postrider.admin.JobEnd;
import io.postrider.admin.Watch;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wraps a watch so that an exception of it does no harm: it is logged, and the work continues. */
public final class SafeWatch implements Watch {
    private static final Logger log = LoggerFactory.getLogger(SafeWatch.class);
    private final Watch watch;

    private SafeWatch(Watch watch) {
        this.watch = watch;
    }

    /** Wraps a watch. */
    public static Watch of(Watch watch) {
        return watch == Watch.NOTHING ? watch : new SafeWatch(watch);
    }

    @Override
    public void emitted(String topic, int events) {
        guard(() -> watch.emitted(topic, events));
    }

    @Override
    public void sequenced(long events, Duration took) {
        guard(() -> watch.sequenced(events, took));
    }

    @Override
    public void pickedUp(String listener, List<LogEvent> events) {
        guard(() -> watch.pickedUp(listener, events));
    }

    @Override
    public void delivered(
            String listener, String topic, long fromPosition, long toPosition, int events, Duration took) {
        guard(() -> watch.delivered(listener, topic, fromPosition, toPosition, events, took));
    }

    @Override
    public void setBack(String listener, LogEvent event, int attempt, Duration wait, Throwable error) {
        guard(() -> watch.setBack(listener, event, attempt, wait, error));
    }

    @Override
    public void deadLettered(String listener, LogEvent event, int attempts, String error) {
        guard(() -> watch.deadLettered(listener, event, attempts, error));
    }

    @Override
    public void unavailable(String relay, int tries, Duration wait, Throwable error) {
        guard(() -> watch.unavailable(relay, tries, wait, error));
    }

    @Override
    public void headMoved(String topic, long position) {
        guard(() -> watch.headMoved(topic, position));
    }

    @Override
    public void eraOpened(int era, String reason) {
        guard(() -> watch.eraOpened(era, reason));
    }

    @Override
    public void forgotten(String topic, long fromPosition, long toPosition) {
        guard(() -> watch.forgotten(topic, fromPosition, toPosition));
    }

    @Override
    public void jobBegun(ClaimedJob job) {
        guard(() -> watch.jobBegun(job));
    }

    @Override
    public void jobPickedUp(ClaimedJob job) {
        guard(() -> watch.jobPickedUp(job));
    }

    @Override
    public void jobEnded(ClaimedJob job, JobEnd end, Duration took) {
        guard(() -> watch.jobEnded(job, end, took));
    }

    @Override
    public void jobsLookedFor(String queue, int claimed) {
        guard(() -> watch.jobsLookedFor(queue, claimed));
    }

    @Override
    public void notified(String what) {
        guard(() -> watch.notified(what));
    }

    private static void guard(Runnable told) {
        try {
            told.run();
        } catch (RuntimeException e) {
            log.error("watch_failed", e);
        }
    }
}

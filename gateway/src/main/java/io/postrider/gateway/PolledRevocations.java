package io.postrider.gateway;

import io.postrider.PostriderException;
import io.postrider.gateway.internal.hub.Threads;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Revocations that are stored in a table and read every 2 s. While the table cannot be read, the last result stays in effect, and
 * an error is logged after 5 s. Closing every stream instead would turn an outage of the database into one of the gateway; a
 * token that is revoked in the meantime still ends at its {@code exp}. Safe to share.
 */
public final class PolledRevocations implements Revocations, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(PolledRevocations.class);
    private static final Duration EVERY = Duration.ofSeconds(2);
    private static final Duration SHORTEST = Duration.ofMillis(50);
    private static final Duration LONGEST = Duration.ofSeconds(4);

    /** A stream with a revoked token is guaranteed to end within this time. */
    private static final Duration STALE = Duration.ofSeconds(5);

    private final Source source;
    private final ScheduledExecutorService clock;
    private volatile Set<String> revoked;
    private long readAt = System.nanoTime();

    private PolledRevocations(Source source, Set<String> revoked, Duration every) {
        this.source = source;
        this.revoked = revoked;
        this.clock = Executors.newSingleThreadScheduledExecutor(Threads.named("postrider-revocations"));
        ScheduledFuture<?> unused =
                clock.scheduleWithFixedDelay(this::poll, every.toNanos(), every.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The store of revoked tokens. */
    @FunctionalInterface
    public interface Source {
        /** The ids of all revoked tokens that have not expired. May throw, and may block for a few seconds, but not forever. */
        Collection<String> revoked() throws Exception;
    }

    /** Reads once and throws if that fails; then reads every 2 s. */
    public static PolledRevocations of(Source source) {
        return of(source, EVERY);
    }

    /** The same with another interval. 50 ms..4 s: streams must be closed within 5 s. */
    public static PolledRevocations of(Source source, Duration every) {
        if (every.compareTo(SHORTEST) < 0 || every.compareTo(LONGEST) > 0) {
            throw PostriderException.refused("the interval for reading revocations must be " + SHORTEST.toMillis()
                    + ".." + LONGEST.toMillis() + " ms, was " + every.toMillis() + " ms");
        }
        try {
            return new PolledRevocations(source, Set.copyOf(source.revoked()), every);
        } catch (Exception e) {
            throw new PostriderException(
                    PostriderException.Kind.UNREACHABLE,
                    "cannot read the revoked tokens, and without them every connection is refused: " + e.getMessage(),
                    e);
        }
    }

    private void poll() {
        try {
            revoked = Set.copyOf(source.revoked());
            readAt = System.nanoTime();
        } catch (Exception | Error e) { // an exception that escapes would end the polling
            tell(Duration.ofNanos(System.nanoTime() - readAt), e);
        }
    }

    private void tell(Duration age, Throwable e) {
        if (age.compareTo(STALE) < 0) {
            log.warn("revocations_not_read known={} error=\"{}\"", revoked.size(), e.toString());
        } else {
            log.error(
                    "revocations_stale known={} age_s={} error=\"{}\" tokens revoked since then are still accepted",
                    revoked.size(),
                    age.toSeconds(),
                    e.toString());
        }
    }

    @Override
    public boolean isRevoked(String tokenId) {
        return revoked.contains(tokenId);
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}

package io.postrider.gateway;

import java.time.Duration;
import java.util.Collection;

/** Revocations that are kept in a table somewhere, read every 2 s. Safe to share. */
public final class PolledRevocations implements Revocations, AutoCloseable {
    private PolledRevocations() {}

    /** Where revoked tokens are written down. */
    @FunctionalInterface
    public interface Source {
        /** The ids of all revoked tokens that have not expired. May block and throw. */
        Collection<String> revoked() throws Exception;
    }

    /** Reads once, and throws if that fails; then every 2 s. */
    public static PolledRevocations of(Source source) {
        throw new UnsupportedOperationException();
    }

    /** As above, at another pace. 100 ms..4 s: streams must be closed within 5 s. */
    public static PolledRevocations of(Source source, Duration every) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isRevoked(String tokenId) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}

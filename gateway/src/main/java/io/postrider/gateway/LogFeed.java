package io.postrider.gateway;

import io.postrider.log.Log;

/** A feed straight from the log of a started node. */
public final class LogFeed implements Feed {
    /** Of {@code postrider.log()}. */
    public LogFeed(Log log) {}

    @Override
    public void follow(String topic, int recent, Receiver receiver) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long head(String topic) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}

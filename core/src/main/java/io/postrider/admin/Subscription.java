package io.postrider.admin;

/** Follows one topic until it is closed. See {@link Log#follow}. */
public interface Subscription extends AutoCloseable {
    /** The last position that the follower has received. */
    long position();

    /** Ends the subscription after the current call of the follower. */
    @Override
    void close();
}

package io.postrider.proof;

/** Something a session does with its resource, typically one statement on a connection. */
@FunctionalInterface
public interface Step<R> {
    /** Does it. */
    void run(R resource) throws Exception;
}

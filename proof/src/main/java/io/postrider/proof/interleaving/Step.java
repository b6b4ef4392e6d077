package io.postrider.proof.interleaving;

/** An action of a session on its resource, typically one statement on a connection. */
@FunctionalInterface
public interface Step<R> {
    /** Runs the action. */
    void run(R resource) throws Exception;
}

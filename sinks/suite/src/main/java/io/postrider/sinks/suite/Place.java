package io.postrider.sinks.suite;

import io.postrider.Sink;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the sink under test sends to: a channel, a topic, an endpoint, made for one test and empty. Closed after it, with
 * whatever it has started.
 */
public interface Place extends AutoCloseable {
    /** A new sink on this place, as after a restart of the process. The suite closes it. */
    Sink open();

    /** Everything that has arrived, in the order in which a consumer gets it. */
    List<Arrived> arrived() throws Exception;

    /** Makes the place unreachable, in the way that the real thing would be: its process is gone, its port is closed. */
    void goAway() throws Exception;

    /** Makes it reachable again; what had arrived is still there if the place keeps it. */
    void comeBack() throws Exception;

    /** Whether the sink can tell what it holds, so that nothing is sent twice that was in doubt. */
    boolean tells();

    /** Secrets that the sink was made with, none of which may show. */
    default List<String> secrets() {
        return List.of();
    }

    /** The payload, in JSON, of an event that this place refuses for what it is; null if there is none. */
    default @Nullable String refusedPayload() {
        return null;
    }

    @Override
    default void close() throws Exception {}
}

package io.postrider.sinks.suite;

import io.postrider.Sink;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The place the sink under test sends to: a channel, a topic or an endpoint, created empty for one test. It is closed afterwards,
 * together with everything it has started.
 */
public interface Place extends AutoCloseable {
    /** A new sink for this place, as after a restart of the process. The suite closes it. */
    Sink open();

    /** Everything that has arrived, in the order in which a consumer receives it. */
    List<Arrived> arrived() throws Exception;

    /** Makes the place unreachable as in a real outage: its process is stopped, its port is closed. */
    void goAway() throws Exception;

    /** Makes it reachable again; a place with storage still has what had arrived. */
    void comeBack() throws Exception;

    /** Whether the sink can determine what has arrived, so that nothing is sent twice after an unknown outcome. */
    boolean tells();

    /** Secrets that the sink was created with, none of which may be shown. */
    default List<String> secrets() {
        return List.of();
    }

    /** The payload, in JSON, of an event that this place refuses because of its content; null if there is none. */
    default @Nullable String refusedPayload() {
        return null;
    }

    @Override
    default void close() throws Exception {}
}

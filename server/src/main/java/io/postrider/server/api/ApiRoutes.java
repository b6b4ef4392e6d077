package io.postrider.server.api;

import io.postrider.Postrider;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** The routes of the API, in the order of its description. */
public final class ApiRoutes {
    private ApiRoutes() {}

    /**
     * All of them. What only tells something goes through the bound of those who read. A reader gives up its place when its
     * answer is counted, not when it is written: otherwise a few clients that do not read would keep out all who read.
     *
     * @param bodies counts the memory of bodies
     * @param unread counts the answers that are not written yet
     * @param revoked told the id of each token that is revoked here, and when it expires
     */
    public static List<Route> of(
            Writing writing,
            Reading reading,
            BodyMemory bodies,
            UnreadAnswers unread,
            BiConsumer<String, Instant> revoked) {
        Postrider postrider = writing.postrider();
        ListenerRoutes listeners = new ListenerRoutes(postrider);
        List<Route> routes = new ArrayList<>(Description.routes());
        routes.addAll(new EmitRoutes(writing).routes());
        routes.addAll(new EventRoutes(reading).routes());
        routes.addAll(new AnalyticsRoutes(reading).routes());
        routes.addAll(new JobRoutes(writing, reading).routes());
        routes.addAll(new QueueRoutes(postrider, reading).routes());
        routes.addAll(listeners.routes());
        routes.addAll(new RelayRoutes(postrider, reading, listeners).routes());
        routes.addAll(new DeadLetterRoutes(postrider, reading).routes());
        routes.addAll(new TokenRoutes(postrider, revoked).routes());
        return routes.stream()
                .map(route -> route.need() == Need.NOBODY ? route : bounded(route, reading.readers(), bodies, unread))
                .toList();
    }

    private static Route bounded(Route route, Readers readers, BodyMemory bodies, UnreadAnswers unread) {
        Route counted = unread.count(route);
        return route.hasBody() ? bodies.count(counted) : readers.admit(counted);
    }
}

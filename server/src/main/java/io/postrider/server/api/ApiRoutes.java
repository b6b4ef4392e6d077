package io.postrider.server.api;

import io.postrider.admin.Publisher;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** The routes of the API, in the order of the OpenAPI document. */
public final class ApiRoutes {
    private ApiRoutes() {}

    /**
     * All routes. Reads and writes have a limit each. A reader gives up its place when its
     * answer is counted, not when it is written: otherwise a few clients that do not read would block all readers.
     *
     * @param bodies counts the memory of bodies
     * @param unread counts the answers that are not written yet
     * @param revoked receives the id and the expiry of each token that is revoked here
     * @param tables the table that a relay in shadow mode is compared with, by the name of the relay
     */
    public static List<Route> of(
            Writing writing,
            Reading reading,
            BodyMemory bodies,
            UnreadAnswers unread,
            BiConsumer<String, Instant> revoked,
            Function<String, Optional<Publisher.Table>> tables) {
        Changing changing = writing.changing();
        ListenerRoutes listeners = new ListenerRoutes(writing.postrider(), changing);
        List<Route> routes = new ArrayList<>();
        routes.addAll(new EmitRoutes(writing).routes());
        routes.addAll(new EventRoutes(reading).routes());
        routes.addAll(new AnalyticsRoutes(reading).routes());
        routes.addAll(new JobRoutes(writing, reading).routes());
        routes.addAll(new QueueRoutes(changing, reading).routes());
        routes.addAll(listeners.routes());
        routes.addAll(new RelayRoutes(changing, reading, listeners).routes());
        routes.addAll(new ShadowRoutes(changing, tables).routes());
        routes.addAll(new DeadLetterRoutes(changing, reading).routes());
        routes.addAll(new TokenRoutes(changing, revoked).routes());
        return Description.describing(routes).stream()
                .map(route -> route.need() == Need.NOBODY
                        ? route
                        : bounded(route, reading.readers(), changing.writers(), bodies, unread))
                .toList();
    }

    private static Route bounded(
            Route route, Readers readers, Writers writers, BodyMemory bodies, UnreadAnswers unread) {
        Route counted = unread.count(route);
        if (!route.hasBody()) {
            return readers.admit(counted);
        }
        return bodies.count(waitsByItself(route) ? counted : writers.admit(counted));
    }

    /** Emit and enqueue requests wait for their turn after reading the body, which names the unique key. */
    private static boolean waitsByItself(Route route) {
        return route.need() == Need.ANYONE
                || route.path().equals(RelayRoutes.TEST)
                || ShadowRoutes.WAITING.contains(route.path());
    }
}

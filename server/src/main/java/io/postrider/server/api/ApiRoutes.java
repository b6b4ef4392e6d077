package io.postrider.server.api;

import io.postrider.Postrider;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The routes of the API, in the order of its description. */
public final class ApiRoutes {
    private ApiRoutes() {}

    /**
     * All of them.
     *
     * @param revoked told the id of each token that is revoked here
     */
    public static List<Route> of(Writing writing, Consumer<String> revoked) {
        Postrider postrider = writing.postrider();
        ListenerRoutes listeners = new ListenerRoutes(postrider);
        List<Route> routes = new ArrayList<>(Description.routes());
        routes.addAll(new EmitRoutes(writing).routes());
        routes.addAll(new EventRoutes(postrider).routes());
        routes.addAll(new AnalyticsRoutes(postrider).routes());
        routes.addAll(new JobRoutes(writing).routes());
        routes.addAll(new QueueRoutes(postrider).routes());
        routes.addAll(listeners.routes());
        routes.addAll(new RelayRoutes(postrider, listeners).routes());
        routes.addAll(new DeadLetterRoutes(postrider).routes());
        routes.addAll(new TokenRoutes(postrider, revoked).routes());
        return routes;
    }
}

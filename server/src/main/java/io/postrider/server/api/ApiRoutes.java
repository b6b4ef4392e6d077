package io.postrider.server.api;

import java.util.ArrayList;
import java.util.List;

/** The routes of the API, in the order of its description. */
public final class ApiRoutes {
    private ApiRoutes() {}

    /** All of them. */
    public static List<Route> of(Writing writing) {
        List<Route> routes = new ArrayList<>();
        routes.addAll(new EmitRoutes(writing).routes());
        routes.addAll(new JobRoutes(writing).routes());
        routes.addAll(new QueueRoutes(writing.postrider()).routes());
        routes.addAll(new ListenerRoutes(writing.postrider()).routes());
        routes.addAll(new DeadLetterRoutes(writing.postrider()).routes());
        return routes;
    }
}

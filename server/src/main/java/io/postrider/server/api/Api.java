package io.postrider.server.api;

import io.postrider.gateway.Identity;
import io.postrider.support.Suggestion;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All routes. Finds the route of a request, checks the permission, parses the request and answers it. Thread-safe. */
public final class Api {
    private static final Logger log = LoggerFactory.getLogger(Api.class);

    private final List<Route> routes;

    /** Serves these routes. */
    public Api(List<Route> routes) {
        this.routes = List.copyOf(routes);
        Set<String> seen = new HashSet<>();
        for (Route route : routes) {
            if (!seen.add(route.method() + " " + route.path())) {
                throw new IllegalStateException("two routes for " + route.method() + " " + route.path());
            }
        }
    }

    /** The policy table. */
    public List<Route> routes() {
        return routes;
    }

    /** The route of a request; throws 404 or 405 if there is none. */
    public Route find(String method, String path) {
        return routes.stream()
                .filter(one -> one.method().equals(method))
                .filter(one -> one.match(path).isPresent())
                .findFirst()
                .orElseThrow(() -> missing(method, path));
    }

    private Problem missing(String method, String path) {
        Set<String> methods = new TreeSet<>(Route.methods(routes, path));
        if (methods.isEmpty()) {
            return Problem.of(404, "no route matches " + Fields.shown(path), "/v1/openapi.json lists all routes.");
        }
        String allowed = String.join(", ", methods);
        return Problem.of(405, Fields.shown(method) + " is not allowed here", "Use " + allowed + ".")
                .withHeader("Allow", allowed);
    }

    /** Throws a {@link Problem} if the token is missing, or if its reach does not suffice for the route. */
    public static void admit(Route route, @Nullable Identity who) {
        if (route.need() == Need.NOBODY) {
            return;
        }
        if (who == null) {
            throw Problem.unauthorized("no token was sent");
        }
        if (!route.need().isMetBy(who)) {
            throw Problem.forbidden(
                    "this needs a token with reach " + (route.need() == Need.OPERATOR ? "all" : "project or all")
                            + ", and this one has reach "
                            + who.reach().name().toLowerCase(Locale.ROOT),
                    "Use another token.");
        }
    }

    /**
     * Refuses a caller that may not write to the topic or queue in the path, before the body is read: a user without any right to
     * write kept bodies open.
     */
    public static void check(Route route, String path, @Nullable Identity who) {
        if (who != null) {
            route.check().refuse(who, route.match(path).orElseThrow());
        }
    }

    /**
     * Refuses parameters that the route does not take. To be called before the body is read: a request that waits for its body keeps
     * its parameters, which nothing counts.
     */
    public static void refuseUnknown(Route route, Map<String, List<String>> query) {
        query.keySet().stream()
                .filter(name -> !route.takes().contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw Problem.badRequest(
                            "unknown parameter '" + Fields.shown(name) + "'" + Suggestion.hint(name, route.takes()));
                });
    }

    /** Answers a request that was admitted. Logs the subject and path of each administrative request. */
    public static Answer answer(
            Route route, String path, Map<String, List<String>> query, @Nullable Identity who, byte[] body) {
        Optional<Map<String, String>> places = route.match(path);
        try {
            Answer answer = route.handler().answer(new Call(who, places.orElseThrow(), query, Body.of(body)));
            if (who != null && route.hasBody() && route.need() != Need.ANYONE) {
                log.info(
                        "admin_request subject={} token_id={} path=\"{}\"",
                        who.subject(),
                        who.tokenId(),
                        Fields.shown(path));
            }
            return answer;
        } catch (Exception e) {
            throw Problem.of(e);
        }
    }
}

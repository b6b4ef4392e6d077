package io.postrider.server.api;

import io.postrider.cli.text.Nearest;
import io.postrider.gateway.Identity;
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

/** All routes, and the way of a request to its own: found, allowed, taken apart, answered. Safe to share. */
public final class Api {
    private static final Logger log = LoggerFactory.getLogger(Api.class);

    private final List<Route> routes;

    /** Of these routes. */
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

    /** The route that a request is for; 404 or 405 if there is none. */
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
            return Problem.of(
                    404, "there is nothing at " + Fields.shown(path), "/v1/openapi.json lists what there is.");
        }
        String allowed = String.join(", ", methods);
        return Problem.of(405, Fields.shown(method) + " is not possible here", "Use " + allowed + ".")
                .withHeader("Allow", allowed);
    }

    /** What may not go on is thrown as a {@link Problem}: without a token, or with one that does not reach so far. */
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

    /** Answers a request that was admitted. Who steered something, and what, is in the log. */
    public static Answer answer(
            Route route, String path, Map<String, List<String>> query, @Nullable Identity who, byte[] body) {
        query.keySet().stream()
                .filter(name -> !route.takes().contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw Problem.badRequest(
                            "unknown parameter '" + Fields.shown(name) + "'" + Nearest.hint(name, route.takes()));
                });
        Optional<Map<String, String>> places = route.match(path);
        try {
            Answer answer = route.handler().answer(new Call(who, places.orElseThrow(), query, Body.of(body)));
            if (who != null && route.hasBody() && route.need() != Need.ANYONE) {
                log.info("steered who={} token_id={} path=\"{}\"", who.subject(), who.tokenId(), Fields.shown(path));
            }
            return answer;
        } catch (Exception e) {
            throw Problem.of(e);
        }
    }
}

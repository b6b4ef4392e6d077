package io.postrider.server.api;

import io.postrider.gateway.Identity;
import io.postrider.server.openapi.Operation;
import io.postrider.server.openapi.Parameter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One entry of the policy table: method, path with {@code {places}}, required token, parameters, answers and handler. A request
 * only reaches code that has an entry here, and every entry has a {@link Need}.
 *
 * @param operation its part of the OpenAPI document; names the query parameters, and no others are accepted
 * @param check refuses a caller by the values of the path parameters, before the body is read
 */
public record Route(String method, String path, Need need, Operation operation, Check check, Handler handler) {
    /** Does not block: it may not use the database. */
    @FunctionalInterface
    public interface Check {
        /** Nothing is refused before the body is read. */
        Check NONE = (who, places) -> {};

        void refuse(Identity who, Map<String, String> places);
    }

    /** The code of a route. */
    @FunctionalInterface
    public interface Handler {
        Answer answer(Call call) throws Exception;
    }

    static Route get(String path, Need need, Handler handler, Parameter... takes) {
        return new Route("GET", path, need, Operation.of("", "", "").takes(takes), Check.NONE, handler);
    }

    static Route post(String path, Need need, Handler handler) {
        return new Route("POST", path, need, Operation.of("", "", ""), Check.NONE, handler);
    }

    /** The same route with this description. */
    Route described(Operation described) {
        return new Route(method, path, need, described, check, handler);
    }

    /** The same route with another handler. */
    Route with(Handler other) {
        return new Route(method, path, need, operation, check, other);
    }

    /** The same route with this check before its body is read. */
    Route checked(Check first) {
        return new Route(method, path, need, operation, first, handler);
    }

    /** The names of the query parameters. */
    public Set<String> takes() {
        return operation.queryNames();
    }

    /** Whether its requests have a body. */
    public boolean hasBody() {
        return method.equals("POST");
    }

    /** Whether the caller can set the number of rows. */
    boolean isPage() {
        return takes().contains("limit");
    }

    /** The values of its path parameters, if the path matches. */
    public Optional<Map<String, String>> match(String actual) {
        String[] mine = path.split("/", -1);
        String[] theirs = actual.split("/", -1);
        if (mine.length != theirs.length) {
            return Optional.empty();
        }
        Map<String, String> places = new HashMap<>();
        for (int i = 0; i < mine.length; i++) {
            if (mine[i].startsWith("{") && !theirs[i].isEmpty()) {
                places.put(mine[i].substring(1, mine[i].length() - 1), theirs[i]);
            } else if (!mine[i].equals(theirs[i])) {
                return Optional.empty();
            }
        }
        return Optional.of(places);
    }

    /** The methods that these routes accept for a path. */
    static List<String> methods(List<Route> routes, String actual) {
        List<String> methods = new ArrayList<>();
        for (Route route : routes) {
            if (route.match(actual).isPresent()) {
                methods.add(route.method());
            }
        }
        return methods;
    }
}

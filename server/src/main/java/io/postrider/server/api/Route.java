package io.postrider.server.api;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One line of the policy table: a method, a path with {@code {places}}, what it needs, what it takes, what it does. There is no
 * way to be reached without a line here, and no line without a need.
 *
 * @param takes the names of the query parameters
 */
public record Route(String method, String path, Need need, Set<String> takes, Handler handler) {

    /** What a route does. */
    @FunctionalInterface
    public interface Handler {
        Answer answer(Call call) throws Exception;
    }

    static Route get(String path, Need need, Handler handler, String... takes) {
        return new Route("GET", path, need, Set.of(takes), handler);
    }

    static Route post(String path, Need need, Handler handler) {
        return new Route("POST", path, need, Set.of(), handler);
    }

    /** The same, but this is done. */
    Route with(Handler other) {
        return new Route(method, path, need, takes, other);
    }

    /** Whether it has a body to be read. */
    public boolean hasBody() {
        return method.equals("POST");
    }

    /** What stands in its places, if this is a path of its. */
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

    /** What a path answers to, of these routes. */
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

package io.postrider.gateway;

import static io.postrider.gateway.Identity.Reach.ALL;
import static io.postrider.gateway.Identity.Reach.PROJECT;
import static io.postrider.gateway.Identity.Reach.USER;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two projects, two users, events of every combination, and every token in every room: on each path an event goes, live, from
 * memory and from history, by stream and by socket, it is heard if and only if the rule says so. The rule is written here once
 * more, so that it is not the code that judges itself.
 */
@Tag("security")
class IsolationTest extends GatewayTestBase {
    private static final List<String> PROJECTS = java.util.Arrays.asList("p1", "p2", null);
    private static final List<String> USERS = java.util.Arrays.asList("ann", "bob", null);

    private record Token(String subject, String project, Identity.Reach reach) {
        boolean reaches(String project, String user) {
            if (reach == ALL) {
                return true;
            }
            if (reach == PROJECT) {
                return project != null && project.equals(this.project);
            }
            return subject.equals(user) && (project == null || project.equals(this.project));
        }

        boolean mayEnter(String room) {
            return reach == ALL
                    || room.equals("user:" + subject)
                    || (reach == PROJECT && room.equals("project:" + project));
        }
    }

    private static final List<Token> TOKENS = List.of(
            new Token("ann", "p1", USER),
            new Token("ann", "p2", USER),
            new Token("ann", null, USER),
            new Token("bob", "p1", USER),
            new Token("ann", "p1", PROJECT),
            new Token("bob", "p2", PROJECT),
            new Token("p1", "p2", PROJECT),
            new Token("root", null, ALL));

    private static final List<String> ROOMS = List.of("project:p1", "project:p2", "user:ann", "user:bob");

    private static boolean isIn(String room, String project, String user) {
        return room.equals("project:" + project) || room.equals("user:" + user);
    }

    private interface Client {
        List<Long> positions();

        void awaitPosition(long position);
    }

    private Client open(Served served, Token token, String room, Long position, boolean socket) throws Exception {
        String jwt = served.token(token.subject(), token.project(), token.reach());
        if (socket) {
            SocketClient client = served.socket(jwt, position, room);
            return client(client::positions, at -> client.await("position " + at, frame -> frame.position() >= at));
        }
        SseClient client = served.sse(jwt, "&room=" + room + (position == null ? "" : "&position=" + position));
        return client(client::positions, at -> client.await("position " + at, frame -> frame.position() >= at));
    }

    private static Client client(
            java.util.function.Supplier<List<Long>> positions, java.util.function.LongConsumer await) {
        return new Client() {
            @Override
            public List<Long> positions() {
                return positions.get();
            }

            @Override
            public void awaitPosition(long position) {
                await.accept(position);
            }
        };
    }

    @Test
    void on_every_path_each_token_hears_what_it_may_and_nothing_else() throws Exception {
        GatewayOptions options = options()
                .withRecent(40, 1 << 20)
                .withConnections(1_000, 1_000)
                .withHeartbeat(java.time.Duration.ofMillis(500));
        try (Served served = serve(options)) {
            List<Event> first = combinations(served, 12);
            served.emitAll(first);
            served.awaitHub();
            long head = first.size();
            Map<String, Client> clients = new LinkedHashMap<>();
            Map<String, List<Long>> expected = new LinkedHashMap<>();
            int entered = 0;
            for (Token token : TOKENS) {
                for (String room : ROOMS) {
                    for (boolean socket : List.of(true, false)) {
                        if (!token.mayEnter(room)) {
                            assertShut(served, token, room, socket);
                            continue;
                        }
                        entered++;
                        for (Long position : java.util.Arrays.asList(null, head - 20, 0L)) {
                            String name =
                                    token + " in " + room + " from " + position + (socket ? " socket" : " stream");
                            clients.put(name, open(served, token, room, position, socket));
                            expected.put(name, expected(first, token, room, position == null ? head : position, 0));
                        }
                    }
                }
            }
            for (Client client : clients.values()) {
                client.awaitPosition(head);
            }
            List<Event> second = combinations(served, 3);
            served.emitAll(second);
            served.awaitHub();
            for (Map.Entry<String, Client> client : clients.entrySet()) {
                client.getValue().awaitPosition(head + second.size());
                List<Long> all = new ArrayList<>(expected.get(client.getKey()));
                String name = client.getKey();
                Token token = TOKENS.stream()
                        .filter(t -> name.startsWith(t + " in "))
                        .findFirst()
                        .orElseThrow();
                String room = ROOMS.stream()
                        .filter(r -> name.contains(" in " + r + " "))
                        .findFirst()
                        .orElseThrow();
                all.addAll(expected(second, token, room, head, head));
                assertThat(client.getValue().positions()).as(name).isEqualTo(all);
            }
            assertThat(served.history.pages.get()).as("some came from history").isPositive();
            assertThat(entered).isEqualTo(2 * 13);
        }
    }

    private static List<Long> expected(List<Event> events, Token token, String room, long after, long before) {
        List<Long> positions = new ArrayList<>();
        for (int i = 0; i < events.size(); i++) {
            Event event = events.get(i);
            long position = before + i + 1;
            if (position > after
                    && token.reaches(event.projectId(), event.userId())
                    && isIn(room, event.projectId(), event.userId())) {
                positions.add(position);
            }
        }
        return positions;
    }

    private static List<Event> combinations(Served served, int times) {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            for (String project : PROJECTS) {
                for (String user : USERS) {
                    events.add(served.event(project, user, "{}"));
                }
            }
        }
        return events;
    }

    private void assertShut(Served served, Token token, String room, boolean socket) throws Exception {
        String jwt = served.token(token.subject(), token.project(), token.reach());
        for (Long position : java.util.Arrays.asList(null, 0L)) {
            if (socket) {
                SocketClient client = served.socket(jwt, position, room);
                assertThat(client.awaitClose()).as(token + " in " + room).isEqualTo(4403);
                assertThat(client.positions()).isEmpty();
            } else {
                SseClient client = served.sse(jwt, "&room=" + room + (position == null ? "" : "&position=" + position));
                assertThat(client.status()).as(token + " in " + room).isEqualTo(403);
            }
        }
    }

    @Test
    void a_room_is_one_text_and_no_pattern() {
        assertThat(Room.parse("project:a.b:c@d-e_f".replace("_", "-"))).isEqualTo(Room.project("a.b:c@d-e-f"));
        assertThat(Room.parse("user:Ann")).isNotEqualTo(Room.parse("user:ann"));
        assertThat(Room.parse("user:project:p1").kind()).isEqualTo(Room.Kind.USER);
        assertThat(Room.parse("project:p1").toString()).isEqualTo("project:p1");
        Identity ann = new Identity("ann", "p1", USER, null, Instant.MAX);
        assertThat(ann.mayHear(Room.user("ann"))).isTrue();
        assertThat(ann.mayHear(Room.project("ann"))).isFalse();
        assertThat(ann.mayRead(null, null)).isFalse();
        assertThat(new Identity("ann", null, USER, null, Instant.MAX).mayRead("p1", "ann"))
                .isFalse();
        assertThat(Set.of(Room.user("ann"))).contains(Room.parse("user:ann"));
    }
}

package io.postrider.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.postrider.gateway.Identity;
import io.postrider.gateway.Identity.Reach;
import io.postrider.server.openapi.Parameter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The limit on bytes that clients have not read: 80,000 here. */
@Tag("security")
class UnreadAnswersTest {
    private final UnreadAnswers unread = new UnreadAnswers(80_000);

    private static Identity who(String subject, @Nullable String project, Reach reach) {
        return new Identity(subject, project, reach, null, Instant.MAX);
    }

    private static Route route(String method, int size) {
        String text = "x".repeat(size);
        return method.equals("GET")
                ? Route.get("/v1/a", Need.ANYONE, call -> Answer.text(text))
                : Route.post("/v1/a", Need.ANYONE, call -> Answer.text(text));
    }

    private Answer read(Identity who, int size) throws Exception {
        return ask(route("GET", size), who);
    }

    private Answer ask(Route route, Identity who) throws Exception {
        return unread.count(route).handler().answer(new Call(who, Map.of(), Map.of(), Body.of(new byte[0])));
    }

    private void assertRefused(Identity who, int size) {
        assertThatExceptionOfType(Problem.class)
                .isThrownBy(() -> read(who, size))
                .satisfies(problem -> {
                    assertThat(problem.status()).isEqualTo(503);
                    assertThat(problem.headers()).containsEntry("Retry-After", "1");
                });
    }

    @Test
    void a_user_has_a_quarter_a_project_half_and_all_together_the_whole() throws Exception {
        Identity ann = who("ann", "acme", Reach.USER);
        read(ann, 15_000);
        assertRefused(ann, 15_000);
        read(who("bob", "acme", Reach.USER), 15_000);
        assertRefused(who("cid", "acme", Reach.USER), 15_000);
        read(who("ann", "shop", Reach.USER), 15_000); // another project's ann is somebody else
        read(who("root", null, Reach.ALL), 30_000);
        assertThat(unread.bytes()).isEqualTo(75_000);
        assertRefused(who("dan", "other", Reach.PROJECT), 10_000);
        read(who("dan", "other", Reach.PROJECT), 5_000);
    }

    @Test
    void what_is_written_makes_room() throws Exception {
        Identity ann = who("ann", "acme", Reach.USER);
        Answer first = read(ann, 15_000);
        assertRefused(ann, 15_000);
        first.end();
        assertThat(unread.bytes()).isZero();
        read(ann, 15_000);
    }

    @Test
    void one_answer_is_always_possible_and_small_ones_are_not_counted() throws Exception {
        Identity ann = who("ann", "acme", Reach.USER);
        read(ann, 100_000);
        assertRefused(ann, 5_000);
        assertRefused(who("bob", "other", Reach.USER), 5_000);
        read(who("bob", "other", Reach.USER), 4_096);
        read(who("cid", "acme", Reach.USER), 4_096);
        assertThat(unread.bytes()).isEqualTo(100_000);
    }

    @Test
    void what_was_changed_is_answered_also_when_the_limit_is_reached() throws Exception {
        Identity ann = who("ann", "acme", Reach.USER);
        read(ann, 100_000);
        ask(route("POST", 5_000), ann);
        assertThat(unread.bytes()).isEqualTo(105_000);
        ask(route("POST", 4_096), ann);
        assertThat(unread.bytes()).isEqualTo(105_000);
    }

    @Test
    void a_caller_that_has_reached_its_limit_is_refused_before_anything_is_read() throws Exception {
        Identity ann = who("ann", "acme", Reach.USER);
        read(ann, 20_000);
        Route route = Route.get("/v1/a", Need.ANYONE, call -> {
            throw new AssertionError("this was read");
        });
        assertThatExceptionOfType(Problem.class).isThrownBy(() -> ask(route, ann));
    }

    @Test
    void the_memory_of_a_page_is_taken_before_it_is_read_and_later_pages_are_smaller_or_refused() throws Exception {
        UnreadAnswers pages = new UnreadAnswers(20 << 20);
        List<Long> sizes = new ArrayList<>();
        Route[] route = new Route[1];
        route[0] = pages.count(Route.get(
                "/v1/a",
                Need.ANYONE,
                call -> {
                    sizes.add(call.pageBytes());
                    assertThat(pages.bytes()).isBetween(1L, 20L << 20);
                    Identity next = who("u" + sizes.size(), "p" + sizes.size(), Reach.USER);
                    if (sizes.size() < 20) {
                        route[0].handler().answer(page(next)).end();
                    }
                    return Answer.text("x".repeat(5_000));
                },
                Parameter.LIMIT));
        assertThatExceptionOfType(Problem.class)
                .isThrownBy(() -> route[0].handler().answer(page(who("u0", "p0", Reach.USER))))
                .satisfies(problem -> assertThat(problem.status()).isEqualTo(503));
        assertThat(sizes).hasSizeBetween(1, 19);
        assertThat(pages.bytes()).isZero();
        sizes.addAll(Collections.nCopies(20, 0L));
        Answer answer = route[0].handler().answer(page(who("u0", "p0", Reach.USER)));
        assertThat(pages.bytes()).isEqualTo(5_000);
        answer.end();
        assertThat(pages.bytes()).isZero();
    }

    private static Call page(Identity who) {
        return new Call(who, Map.of(), Map.of("limit", List.of("10")), Body.of(new byte[0]));
    }
}

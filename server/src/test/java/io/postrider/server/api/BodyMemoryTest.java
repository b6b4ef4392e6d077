package io.postrider.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.management.ThreadMXBean;
import io.postrider.gateway.Identity;
import io.postrider.gateway.Identity.Reach;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The limit on the memory of request bodies. */
@Tag("security")
class BodyMemoryTest {
    private static final Identity ANN = new Identity("ann", "acme", Reach.USER, null, Instant.MAX);
    private static final Identity BOB = new Identity("bob", "shop", Reach.USER, null, Instant.MAX);
    private static final int REPEATS = 20_000;

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Call call(Identity who, String body) {
        return new Call(who, Map.of(), Map.of(), Body.of(utf8(body)));
    }

    /** Texts whose trees are large for their length. Not decimals: most of what is allocated to read them is garbage at once. */
    static List<String> shapes() {
        List<String> shapes = new ArrayList<>();
        for (String one : List.of(
                "[]",
                "[1]",
                "{}",
                "{\"a\":1}",
                "{\"a\":{\"a\":{\"a\":{}}}}",
                "{\"\":\"\"}",
                "1",
                "\"\"",
                "\"é\"",
                "\"\\u20ac\"",
                "null",
                "[".repeat(190) + "]".repeat(190),
                "{\"a\":".repeat(190) + "1" + "}".repeat(190))) {
            int repeats = REPEATS / Math.max(1, one.length() / 4);
            shapes.add("[" + (one + ",").repeat(repeats) + one + "]");
        }
        shapes.add(IntStream.range(0, REPEATS)
                .mapToObj(i -> "\"" + Integer.toString(i, 36) + "\":1")
                .collect(Collectors.joining(",", "{", "}")));
        shapes.add("\"" + "x".repeat(200_000) + "\"");
        shapes.add("\"" + "€".repeat(70_000) + "\"");
        return shapes;
    }

    @ParameterizedTest(name = "{index}")
    @MethodSource("shapes")
    void what_is_counted_is_not_less_than_what_reading_and_writing_allocates(String json) throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        List<Long> counted = new ArrayList<>();
        BodyMemory memory = new BodyMemory(Long.MAX_VALUE);
        byte[] warm = utf8(json);
        JsonText.text(JsonText.read(warm));
        long[] allocated = new long[1];
        Route route = Route.post("/v1/a", Need.ANYONE, call -> {
            counted.add(memory.bytes());
            long before = threads.getCurrentThreadAllocatedBytes();
            call.read(JsonText::text);
            allocated[0] = threads.getCurrentThreadAllocatedBytes() - before;
            counted.add(memory.bytes());
            return Answer.text("{}");
        });
        memory.count(route).handler().answer(call(ANN, json));
        assertThat(counted.get(0)).isGreaterThanOrEqualTo(allocated[0]);
        assertThat(counted.get(1)).as("without the tree").isBetween(warm.length * 4L, warm.length * 6L);
        assertThat(memory.bytes()).isZero();
    }

    @Test
    void a_caller_beyond_its_share_is_refused_others_and_small_bodies_are_not() throws Exception {
        String large = "\"" + "x".repeat(10_000) + "\"";
        BodyMemory memory = new BodyMemory(600_000); // 120,000 for each of these bodies
        Route route = Route.post("/v1/a", Need.ANYONE, call -> Answer.text("{}"));
        Route nested = Route.post("/v1/a", Need.ANYONE, outer -> {
            assertThatExceptionOfType(Problem.class)
                    .isThrownBy(() -> memory.count(route).handler().answer(call(ANN, large)))
                    .satisfies(problem -> {
                        assertThat(problem.status()).isEqualTo(503);
                        assertThat(problem.headers()).containsEntry("Retry-After", "1");
                    });
            memory.count(route).handler().answer(call(BOB, large));
            return memory.count(route).handler().answer(call(ANN, "[" + "1,".repeat(500) + "1]"));
        });
        memory.count(nested).handler().answer(call(ANN, large));
        assertThat(memory.bytes()).isZero();
    }

    @Test
    void a_text_of_more_tokens_than_the_limit_is_refused_by_name() {
        String arrays = "[" + ("[".repeat(190) + "]".repeat(190) + ",").repeat(600) + "1]";
        assertThatExceptionOfType(Problem.class)
                .isThrownBy(() -> JsonText.read(utf8(arrays)))
                .withMessageContaining("values, names and brackets are limited to 200000 together");
        JsonText.read(utf8("[" + "[1],".repeat(65_000) + "1]")); // 256 KiB
    }

    @Test
    void a_body_that_is_refused_is_no_longer_counted() {
        BodyMemory memory = new BodyMemory(400_000);
        Route route = Route.post("/v1/a", Need.ANYONE, call -> call.read(body -> Answer.text("{}")));
        assertThatExceptionOfType(Problem.class)
                .isThrownBy(() -> memory.count(route).handler().answer(call(ANN, "[".repeat(5_000))));
        assertThat(memory.bytes()).isZero();
    }
}

package io.postrider.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class ChildJvmTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void it_runs_with_its_arguments_heap_and_properties() {
        try (ChildJvm child = ChildJvm.of(Telling.class)
                .withHeap("32m")
                .withArguments("a b", "c")
                .withProperty("colour", "green")
                .start()) {
            assertThat(child.awaitExit(PATIENCE)).isEqualTo(7);
            assertThat(child.awaitLine("arguments", PATIENCE)).isEqualTo("arguments [a b, c]");
            assertThat(child.awaitLine("colour", PATIENCE)).isEqualTo("colour green");
            String heap = child.awaitLine("heap", PATIENCE);
            assertThat(Long.parseLong(heap.substring(5))).isLessThanOrEqualTo(32L << 20);
            Await.until("its error", () -> child.errors().contains("trouble"));
        }
    }

    @Test
    void killed_it_is_gone_at_once() {
        try (ChildJvm child = ChildJvm.of(Counting.class).start()) {
            child.awaitLine("count 3", PATIENCE);
            child.kill9();
            assertThat(child.isAlive()).isFalse();
            assertThat(child.awaitExit(PATIENCE)).isEqualTo(128 + 9);
        }
    }

    @Test
    void frozen_it_stands_still_and_resumed_it_goes_on() {
        try (ChildJvm child = ChildJvm.of(Counting.class).start()) {
            child.awaitLine("count 3", PATIENCE);
            child.freeze();
            Await.until("its output has come through", () -> {
                List<String> before = child.lines();
                LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
                return child.lines().equals(before);
            });
            int frozen = child.lines().size();
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            assertThat(child.lines()).hasSize(frozen);
            assertThat(child.isAlive()).isTrue();
            child.resume();
            Await.until("it counts again", () -> child.lines().size() > frozen + 5);
        }
    }

    @Test
    void trained_it_runs_as_before() {
        ChildJvm.Launch counting = ChildJvm.of(Counting.class).trained("count 3");
        for (int i = 0; i < 2; i++) {
            try (ChildJvm child = counting.start()) {
                child.awaitLine("count 3", PATIENCE);
                assertThat(child.errors()).isEmpty();
            }
        }
    }

    @Test
    void a_line_that_never_comes_is_told_with_what_came() {
        try (ChildJvm child = ChildJvm.of(Telling.class).start()) {
            child.awaitExit(PATIENCE);
            assertThatThrownBy(() -> child.awaitLine("never", Duration.ofMillis(50)))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("a line with 'never'")
                    .hasMessageContaining("ended with exit code 7")
                    .hasMessageContaining("arguments []");
        }
    }

    @Test
    void it_does_not_outlive_the_jvm_that_started_it() {
        try (ChildJvm parent = ChildJvm.of(Parent.class).start()) {
            long pid = Long.parseLong(parent.awaitLine("child", PATIENCE).substring("child ".length()));
            assertThat(ProcessHandle.of(pid)).isPresent();
            parent.kill9();
            Await.until("the grandchild is gone", () -> {
                java.nio.file.Path stat = java.nio.file.Path.of("/proc/" + pid + "/stat");
                return ProcessHandle.of(pid).isEmpty()
                        || java.nio.file.Files.readString(stat).contains(") Z "); // until somebody reaps it
            });
        }
    }

    static final class Telling {
        public static void main(String[] args) {
            System.out.println("arguments " + List.of(args));
            System.out.println("colour " + System.getProperty("colour"));
            System.out.println("heap " + Runtime.getRuntime().maxMemory());
            System.err.println("trouble");
            System.exit(7);
        }
    }

    static final class Counting {
        public static void main(String[] args) {
            for (int i = 0; ; i++) {
                System.out.println("count " + i);
                LockSupport.parkNanos(Duration.ofMillis(2).toNanos());
            }
        }
    }

    static final class Parent {
        public static void main(String[] args) throws InterruptedException {
            try (ChildJvm child = ChildJvm.of(Counting.class).start()) {
                System.out.println("child " + child.pid());
                child.awaitLine("never", Duration.ofMinutes(1));
            }
        }
    }
}

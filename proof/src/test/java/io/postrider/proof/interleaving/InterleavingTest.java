package io.postrider.proof.interleaving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** With locks of java.util.concurrent in the place of PostgreSQL's. */
@Timeout(60)
@Tag("once")
class InterleavingTest {
    private final List<String> done = new CopyOnWriteArrayList<>();
    private final ReentrantLock left = new ReentrantLock();
    private final ReentrantLock right = new ReentrantLock();

    /** A thread waits, and it is for a lock that somebody still holds. */
    private final InterleavingOptions<String> options = InterleavingOptions.<String>blockedWhen(
                    (name, thread) -> thread.getState() == Thread.State.WAITING && isHeldByOther(thread))
            .withRollback(name -> releaseAll());

    @Test
    void steps_happen_in_the_order_of_the_schedule() {
        try (Interleaving<String> race = new Interleaving<>(options, noting("a", 2), noting("b", 2))) {
            for (Schedule schedule : race.schedules()) {
                done.clear();
                race.run(schedule);
                assertThat(String.join("", done).toUpperCase(Locale.ROOT)).isEqualTo(schedule.toString());
            }
        }
    }

    @Test
    void each_session_has_a_thread_of_its_own_for_all_its_steps() {
        List<Thread> threads = new CopyOnWriteArrayList<>();
        Step<String> note = name -> threads.add(Thread.currentThread());
        Session<String> one = Session.named("one", "").then("note", note).then("note", note);
        Session<String> two = Session.named("two", "").then("note", note);
        try (Interleaving<String> race = new Interleaving<>(options, one, two)) {
            race.run(Schedule.parse("ABA"));
        }
        assertThat(threads.get(0)).isSameAs(threads.get(2)).isNotSameAs(threads.get(1));
        assertThat(threads).extracting(Thread::getName).containsExactly("session-one", "session-two", "session-one");
        assertThat(threads).noneMatch(Thread::isAlive);
    }

    @Test
    void a_blocked_step_lets_the_schedule_go_on_and_ends_when_it_is_freed() {
        try (Interleaving<String> race = new Interleaving<>(options, holder("a", left), holder("b", left))) {
            assertThat(race.run(Schedule.parse("AAABBB"))).hasToString("A1 A2 A3 B1 B2 B3");
            assertThat(race.run(Schedule.parse("ABAABB"))).hasToString("A1 B1… A2 A3 …B1 B2 B3");
            // The turns that B could not take are made up for as soon as it is free, before what comes later.
            assertThat(race.run(Schedule.parse("ABBBAA"))).hasToString("A1 B1… A2 A3 …B1 B2 B3");
        }
    }

    @Test
    void of_all_schedules_none_has_two_in_the_lock() {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger blockings = new AtomicInteger();
        Session<String> one = guarded("one", inside);
        Session<String> two = guarded("two", inside);
        Session<String> three = guarded("three", inside);
        try (Interleaving<String> race = new Interleaving<>(options, one, two, three)) {
            for (Schedule schedule : race.schedules()) {
                blockings.addAndGet(race.run(schedule).blockings());
            }
            assertThat(race.schedules().count()).isEqualTo(90);
        }
        assertThat(inside).hasValue(0);
        // AABBCC and its like, six of the ninety, are the only ones in which nobody waits.
        assertThat(blockings).hasValueGreaterThanOrEqualTo(84);
    }

    @Test
    void the_state_of_the_thread_alone_is_enough_for_a_right_result() {
        InterleavingOptions<String> byState =
                InterleavingOptions.blockedWhen((name, thread) -> thread.getState() == Thread.State.WAITING);
        AtomicInteger inside = new AtomicInteger();
        try (Interleaving<String> race =
                new Interleaving<>(byState, guarded("one", inside), guarded("two", inside), guarded("three", inside))) {
            race.schedules().forEach(race::run);
        }
        assertThat(inside).hasValue(0);
    }

    @Test
    void a_slow_step_is_waited_for() {
        CountDownLatch asked = new CountDownLatch(3);
        InterleavingOptions<String> patient = InterleavingOptions.blockedWhen((name, thread) -> {
            asked.countDown();
            return false;
        });
        Session<String> slow = Session.named("slow", "a").then("wait", name -> {
            asked.await();
            done.add(name);
        });
        try (Interleaving<String> race = new Interleaving<>(patient, slow, noting("b", 1))) {
            assertThat(race.run(Schedule.parse("AB"))).hasToString("A1 B1");
        }
        assertThat(done).containsExactly("a", "b");
    }

    @Test
    void a_step_that_throws_is_reported_with_the_schedule() {
        Session<String> failing = Session.named("failing", "b")
                .then("note", done::add)
                .then("explode", name -> {
                    throw new IllegalArgumentException("no");
                });
        try (Interleaving<String> race = new Interleaving<>(options, noting("a", 2), failing)) {
            InterleavingException failure =
                    catchThrowableOfType(InterleavingException.class, () -> race.run(Schedule.parse("ABBA")));
            assertThat(failure).hasMessage("""
                            B2 (failing: explode) failed: java.lang.IllegalArgumentException: no
                              schedule ABBA
                              so far   A1 B1 B2""").hasCauseInstanceOf(IllegalArgumentException.class);
            assertThat(failure.schedule()).isEqualTo(Schedule.parse("ABBA"));
            assertThat(failure.trace()).isEqualTo("A1 B1 B2");
            assertThat(done).containsExactly("a", "b");
        }
    }

    @Test
    void after_a_failure_what_was_blocked_is_freed_and_the_next_schedule_runs() {
        AtomicInteger runs = new AtomicInteger();
        Session<String> failing = Session.named("failing", "a")
                .then("lock", name -> left.lockInterruptibly())
                .then("explode once", name -> {
                    if (runs.incrementAndGet() == 1) {
                        throw new IllegalStateException("no");
                    }
                })
                .then("unlock", name -> left.unlock());
        try (Interleaving<String> race = new Interleaving<>(options, failing, holder("b", left))) {
            assertThatThrownBy(() -> race.run(Schedule.parse("ABAABB"))).hasMessageContaining("so far   A1 B1… A2");
            assertThat(left.isLocked()).isFalse();
            assertThat(race.run(Schedule.parse("ABAABB"))).hasToString("A1 B1… A2 A3 …B1 B2 B3");
        }
    }

    @Test
    void a_deadlock_is_reported_with_those_who_wait_and_broken() {
        InterleavingOptions<String> hasty = options.withPatience(Duration.ofMillis(300));
        try (Interleaving<String> race =
                new Interleaving<>(hasty, takingBoth("one", left, right), takingBoth("two", right, left))) {
            assertThat(race.run(Schedule.parse("AAABBB")).blockings()).isZero();
            assertThatThrownBy(() -> race.run(Schedule.parse("ABABAB")))
                    .isInstanceOf(InterleavingException.class)
                    .hasMessage("""
                            stuck: A2 (one: second lock), B2 (two: second lock) did not end within 300 ms
                              schedule ABABAB
                              so far   A1 B1 A2… B2…""");
            assertThat(race.run(Schedule.parse("BBBAAA")).blockings()).isZero();
        }
    }

    @Test
    void a_step_that_neither_ends_nor_blocks_is_reported() {
        CountDownLatch never = new CountDownLatch(1);
        InterleavingOptions<String> blind =
                InterleavingOptions.<String>blockedWhen((name, thread) -> false).withPatience(Duration.ofMillis(50));
        Session<String> silent = Session.named("silent", "").then("wait", name -> never.await());
        try (Interleaving<String> race = new Interleaving<>(blind, silent)) {
            assertThatThrownBy(() -> race.run(Schedule.parse("A")))
                    .hasMessageStartingWith("A1 (silent: wait) neither ended nor blocked within 50 ms")
                    .satisfies(failure ->
                            assertThat(failure.getSuppressed()).hasAtLeastOneElementOfType(InterruptedException.class));
        }
    }

    @Test
    void a_session_that_does_not_come_back_makes_it_unusable() {
        CountDownLatch release = new CountDownLatch(1);
        InterleavingOptions<String> blind =
                InterleavingOptions.<String>blockedWhen((name, thread) -> false).withPatience(Duration.ofMillis(50));
        Session<String> deaf = Session.named("deaf", "").then("wait", name -> {
            while (release.getCount() > 0) {
                Thread.onSpinWait();
            }
        });
        try (Interleaving<String> race = new Interleaving<>(blind, deaf)) {
            assertThatThrownBy(() -> race.run(Schedule.parse("A"))).isInstanceOf(InterleavingException.class);
            assertThatThrownBy(() -> race.run(Schedule.parse("A"))).isInstanceOf(IllegalStateException.class);
            release.countDown();
        }
    }

    @Test
    void a_probe_that_fails_is_reported() {
        InterleavingOptions<String> broken = InterleavingOptions.blockedWhen((name, thread) -> {
            throw new IllegalStateException("monitor gone");
        });
        left.lock();
        try (Interleaving<String> race = new Interleaving<>(broken, holder("a", left))) {
            assertThatThrownBy(() -> race.run(Schedule.parse("AAA")))
                    .hasMessageStartingWith("the probe failed on A1 (a: lock)")
                    .hasRootCauseMessage("monitor gone");
        } finally {
            left.unlock();
        }
    }

    @Test
    void a_schedule_of_other_sessions_is_refused() {
        try (Interleaving<String> race = new Interleaving<>(options, noting("a", 2), noting("b", 1))) {
            assertThatThrownBy(() -> race.run(Schedule.parse("ABB")))
                    .hasMessage("schedule ABB has 1 steps for A (a), which has 2");
            assertThatThrownBy(() -> race.run(Schedule.parse("AABC"))).hasMessageContaining("more than the 2 sessions");
        }
    }

    @Test
    @Tag("alone")
    void it_costs_less_than_a_millisecond_a_schedule() {
        try (Interleaving<String> race = new Interleaving<>(options, idle("a", 5), idle("b", 5), idle("c", 4))) {
            race.schedules().stream().limit(500).forEach(race::run);
            long start = System.nanoTime();
            race.schedules().stream().limit(2_000).forEach(race::run);
            long micros = (System.nanoTime() - start) / 2_000_000;
            System.out.println("a schedule of 14 empty steps takes " + micros + " µs");
            // Three times the aim, so that a machine with other work to do does not fail it.
            assertThat(micros).isLessThan(3_000);
        }
    }

    private Session<String> noting(String name, int steps) {
        Session<String> session = Session.named(name, name);
        for (int i = 0; i < steps; i++) {
            session = session.then("note", done::add);
        }
        return session;
    }

    private static Session<String> idle(String name, int steps) {
        Session<String> session = Session.named(name, name);
        for (int i = 0; i < steps; i++) {
            session = session.then("nothing", n -> {});
        }
        return session;
    }

    private static Session<String> holder(String name, ReentrantLock lock) {
        return Session.named(name, name)
                .then("lock", n -> lock.lockInterruptibly())
                .then("work", n -> {})
                .then("unlock", n -> lock.unlock());
    }

    private Session<String> guarded(String name, AtomicInteger inside) {
        return Session.named(name, name)
                .then("enter", n -> {
                    left.lockInterruptibly();
                    assertThat(inside.incrementAndGet()).isEqualTo(1);
                })
                .then("leave", n -> {
                    inside.decrementAndGet();
                    left.unlock();
                });
    }

    private static Session<String> takingBoth(String name, ReentrantLock first, ReentrantLock second) {
        return Session.named(name, name)
                .then("first lock", n -> first.lockInterruptibly())
                .then("second lock", n -> second.lockInterruptibly())
                .then("unlock", n -> {
                    second.unlock();
                    first.unlock();
                });
    }

    private boolean isHeldByOther(Thread thread) {
        return (left.hasQueuedThread(thread) && left.isLocked()) || (right.hasQueuedThread(thread) && right.isLocked());
    }

    private void releaseAll() {
        for (ReentrantLock lock : List.of(left, right)) {
            while (lock.isHeldByCurrentThread()) {
                lock.unlock();
            }
        }
    }
}

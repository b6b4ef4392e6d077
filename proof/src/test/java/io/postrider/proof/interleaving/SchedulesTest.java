package io.postrider.proof.interleaving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
class SchedulesTest {
    @Test
    void come_in_the_order_of_the_alphabet() {
        assertThat(Schedules.of(2, 2))
                .map(Schedule::toString)
                .containsExactly("AABB", "ABAB", "ABBA", "BAAB", "BABA", "BBAA");
    }

    @Test
    void are_as_many_as_counted_and_all_different() {
        for (int[] steps : new int[][] {{1}, {0}, {3, 0}, {3, 2}, {1, 1, 1, 1}, {3, 3, 2}, {2, 0, 2, 1}}) {
            Schedules schedules = Schedules.of(steps);
            List<Schedule> all = schedules.stream().toList();
            assertThat(BigInteger.valueOf(all.size())).isEqualTo(schedules.count());
            assertThat(all)
                    .doesNotHaveDuplicates()
                    .isSortedAccordingTo((a, b) -> a.toString().compareTo(b.toString()));
        }
    }

    @Test
    void three_sessions_of_5_5_and_4_steps_have_252252() {
        Schedules schedules = Schedules.of(5, 5, 4);
        assertThat(schedules.count()).isEqualTo(252_252);
        assertThat(schedules.stream().count()).isEqualTo(252_252);
    }

    @Test
    void are_made_only_when_asked_for() {
        Schedules many = Schedules.of(20, 20, 20);
        assertThat(many.count()).isEqualTo(new BigInteger("577831214478475823831865900"));
        assertThat(many.stream().limit(3)).hasSize(3);
    }

    @Test
    void a_sample_has_the_size_asked_for_all_different_and_the_same_for_the_same_seed() {
        // Few of many are guessed, many of few are picked on a walk along all.
        for (int size : new int[] {1, 50, 150, 250, 251}) {
            Schedules schedules = Schedules.of(5, 5);
            List<Schedule> sample = schedules.sample(size, 42).toList();
            assertThat(sample).hasSize(size).doesNotHaveDuplicates();
            assertThat(schedules.stream()).containsAll(sample);
            assertThat(schedules.sample(size, 42)).containsExactlyElementsOf(sample);
            assertThat(schedules.sample(size, 43).toList()).isNotEqualTo(sample);
        }
    }

    @Test
    void a_sample_of_more_than_there_are_is_all_in_order() {
        assertThat(Schedules.of(2, 1).sample(3, 42)).containsExactlyElementsOf(Schedules.of(2, 1));
        assertThat(Schedules.of(2, 1).sample(9, 42)).containsExactlyElementsOf(Schedules.of(2, 1));
    }

    @Test
    void every_schedule_is_as_likely_as_any_other() {
        Schedules schedules = Schedules.of(2, 2);
        for (int size : new int[] {1, 4}) {
            Map<Schedule, Integer> drawn = new HashMap<>();
            for (long seed = 0; seed < 6_000; seed++) {
                schedules.sample(size, seed).forEach(schedule -> drawn.merge(schedule, 1, Integer::sum));
            }
            assertThat(drawn).hasSize(6);
            // 1,000 for each of the sample is expected; 200 is more than five standard deviations.
            assertThat(drawn.values())
                    .allSatisfy(times -> assertThat(times).isBetween(1_000 * size - 200, 1_000 * size + 200));
        }
    }

    @Test
    void a_schedule_is_read_as_it_was_written() {
        Set<Schedule> read = new HashSet<>();
        Schedules.of(2, 1, 1).forEach(schedule -> read.add(Schedule.parse(schedule.toString())));
        assertThat(read).containsExactlyInAnyOrderElementsOf(Schedules.of(2, 1, 1));
        assertThatThrownBy(() -> Schedule.parse("AbC")).hasMessage("a schedule is letters A..Z, was AbC");
    }

    @Test
    void a_schedule_tells_whose_turn_it_is() {
        Schedule schedule = Schedule.parse("ABCZA");
        assertThat(schedule.length()).isEqualTo(5);
        assertThat(schedule.session(0)).isEqualTo(0);
        assertThat(schedule.session(3)).isEqualTo(25);
        assertThat(schedule.stepsOf(0)).isEqualTo(2);
        assertThat(schedule.stepsOf(1)).isEqualTo(1);
        assertThat(schedule.stepsOf(3)).isZero();
    }

    @Test
    void sessions_are_1_to_26() {
        assertThat(Schedules.of(new int[26]).count()).isEqualTo(1);
        assertThatThrownBy(Schedules::of).hasMessageStartingWith("sessions must be 1..26");
        assertThatThrownBy(() -> Schedules.of(1, -1)).hasMessageStartingWith("sessions must be 1..26");
        assertThatThrownBy(() -> Schedules.of(new int[27])).hasMessageStartingWith("sessions must be 1..26");
    }
}

package io.postrider.internal.settle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
class PositionRangesTest {
    @Test
    void neighbours_share_a_range_whatever_their_order() {
        assertThat(PositionRanges.text(List.of(7L, 3L, 4L))).isEqualTo("{[3,5),[7,8)}");
        assertThat(PositionRanges.text(List.of(5L, 4L, 3L, 2L))).isEqualTo("{[2,6)}");
    }

    @Test
    void single_positions_are_ranges_of_one() {
        assertThat(PositionRanges.text(List.of(9L))).isEqualTo("{[9,10)}");
        assertThat(PositionRanges.text(List.of(1L, 3L, 5L))).isEqualTo("{[1,2),[3,4),[5,6)}");
    }

    @Test
    void no_positions_are_the_empty_multirange() {
        assertThat(PositionRanges.text(List.of())).isEqualTo("{}");
    }

    @Test
    void positions_beyond_an_int_are_kept() {
        assertThat(PositionRanges.text(List.of(5_000_000_001L, 5_000_000_000L))).isEqualTo("{[5000000000,5000000002)}");
    }
}

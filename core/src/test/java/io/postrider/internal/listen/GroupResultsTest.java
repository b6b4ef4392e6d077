package io.postrider.internal.listen;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.internal.listen.HandlingResult.Delivered;
import io.postrider.internal.listen.HandlingResult.Failed;
import io.postrider.internal.listen.HandlingResult.FailedInBatch;
import io.postrider.internal.listen.HandlingResult.PartlyTaken;
import io.postrider.internal.listen.HandlingResult.Unavailable;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The result of a batch whose keys were handled in parallel. */
class GroupResultsTest {
    private static final Exception ERROR = new IllegalStateException("no");
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final GroupResults results = new GroupResults();

    @Test
    void a_batch_is_delivered_if_every_group_is_delivered() {
        results.add(List.of(0, 2), new Delivered());
        results.add(List.of(1), new Delivered());
        assertThat(results.first()).isEqualTo(new Delivered());
        assertThat(results.wantsNoMore()).isFalse();
    }

    @Test
    void the_first_event_that_was_not_handled_decides_whichever_group_ends_first() {
        results.add(List.of(1, 4, 5), new Failed(2, ERROR));
        results.add(List.of(0, 2, 3), new Failed(1, ERROR, SECOND));
        assertThat(results.first()).isEqualTo(new Failed(2, ERROR, SECOND));
        results.add(List.of(6, 7), new FailedInBatch(ERROR));
        assertThat(results.first()).isEqualTo(new Failed(2, ERROR, SECOND));
    }

    @Test
    void a_group_with_an_unknown_failed_event_counts_from_its_first_event() {
        results.add(List.of(1, 3), new FailedInBatch(ERROR));
        results.add(List.of(0, 2), new Failed(1, ERROR));
        assertThat(results.first()).isEqualTo(new FailedInBatch(ERROR));
    }

    @Test
    void a_sink_that_is_unavailable_gets_no_further_group_and_no_event_is_blamed_for_it() {
        results.add(List.of(2, 3), new Unavailable(1, ERROR, SECOND));
        assertThat(results.wantsNoMore()).isTrue();
        results.notStarted(1);
        assertThat(results.first()).isEqualTo(new Unavailable(1, ERROR, SECOND));
    }

    @Test
    void groups_that_were_not_started_are_neither_handled_nor_failed() {
        results.add(List.of(0, 5), new PartlyTaken(1));
        assertThat(results.wantsNoMore()).isTrue();
        results.notStarted(3);
        assertThat(results.first()).isEqualTo(new PartlyTaken(3));
    }
}

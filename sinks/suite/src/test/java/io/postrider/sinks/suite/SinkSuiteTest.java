package io.postrider.sinks.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** The suite lets a sink pass that does everything right, and none that does one thing wrong. */
@Tag("slow")
class SinkSuiteTest {
    /** The control: of the same tests, all pass. */
    @Nested
    class A_sink_that_does_everything_right extends SinkSuite {
        @Override
        protected Place place() {
            return new Shelf(Shelf.Flaw.NONE);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "LOSES_THE_LAST, what_is_sent_arrives_in_order_with_its_id_topic_position_type_and_data",
        "LOSES_THE_LAST, a_relay_sends_the_whole_log_in_its_order",
        "REPEATS, what_is_sent_arrives_in_order_with_its_id_topic_position_type_and_data",
        "TURNS_ROUND, a_relay_sends_the_whole_log_in_its_order",
        "TURNS_ROUND, lanes_keep_the_order_of_each_key",
        "BLAMES_THE_EVENT, a_place_that_is_away_is_unavailable_and_not_the_fault_of_an_event",
        "BLAMES_THE_EVENT, a_relay_waits_for_a_place_that_is_away_and_blames_no_event",
        "BLAMES_ITSELF, an_event_that_is_refused_is_a_dead_letter_and_the_others_arrive",
        "BLAMES_THE_EVENT, lanes_wait_for_a_place_that_is_away_and_leave_nothing_out",
        "SAYS_TAKEN_WHILE_AWAY, a_place_that_is_away_is_unavailable_and_not_the_fault_of_an_event",
        "FORGETS_WHAT_IT_HOLDS, what_had_arrived_when_the_process_died_is_not_sent_again_if_the_place_can_tell",
        "MIXES_COURSES, a_sink_that_tells_holds_what_was_sent_of_this_course_and_nothing_else",
        "MIXES_COURSES, a_reset_sends_again",
        "TESTS_WITH_AN_EVENT, a_test_says_what_it_found_and_sends_no_event",
        "SHOWS_ITS_SECRET, no_secret_shows",
        "TESTS_NOTHING, an_operator_can_test_a_relay_also_when_it_is_paused"
    })
    void a_sink_that_does_one_thing_wrong_is_caught(Shelf.Flaw wrong, String by) {
        Flawed.flaw = wrong;
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectMethod(Flawed.class, by))
                                .build(),
                        listener);
        assertThat(listener.getSummary().getTestsFoundCount()).isEqualTo(1);
        assertThat(listener.getSummary().getTestsFailedCount()).isEqualTo(1);
    }
}

package io.postrider.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SuggestionTest {
    @Test
    void the_nearest_word_is_found_and_a_far_one_is_not() {
        List<String> words = List.of("tail", "emit", "listeners", "dead-letters");
        assertThat(Suggestion.to("tial", words)).contains("tail");
        assertThat(Suggestion.to("listner", words)).contains("listeners");
        assertThat(Suggestion.to("dead", words)).contains("dead-letters");
        assertThat(Suggestion.to("DEAD-LETTER", words)).contains("dead-letters");
        assertThat(Suggestion.to("banana", words)).isEmpty();
        assertThat(Suggestion.to("tail", List.of())).isEmpty();
    }
}

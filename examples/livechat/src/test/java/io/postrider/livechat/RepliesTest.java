package io.postrider.livechat;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RepliesTest {
    private static final Memory NEW = new Memory(1, 0, null, null);

    @ParameterizedTest
    @CsvSource({
        "Hello!,hello",
        "where is my parcel 4711?,parcel",
        "WHEN ARE YOU OPEN,hours",
        "how much is it?,price",
        "I want my money back,refund",
        "can I talk to a human,human",
        "will my message get lost?,lost",
        "what happens when the worker dies?,lost",
        "how does this work?,how",
        "tell me a joke,joke",
        "thanks a lot,thanks",
        "see you,bye",
        "my name is Zoë,name",
        "I'm sorry about that,shrug",
        "ohio,shrug",
        "<script>alert(1)</script>,shrug"
    })
    void the_first_rule_that_fits_speaks(String text, String intent) {
        assertThat(Replies.to(text, List.of(), NEW).memory().lastIntent()).isEqualTo(intent);
    }

    @Test
    void it_remembers_a_name_and_a_number() {
        Memory memory = Replies.to("call me Zoë", List.of(), NEW).memory();
        assertThat(Replies.to("thanks", List.of(), memory).text()).contains("Zoë");
        assertThat(Replies.to("where is parcel 4711", List.of(), memory).text()).contains("4711");
    }

    @Test
    void who_is_called_is_named() {
        assertThat(Replies.to("hello @anna", List.of("anna", "ben"), NEW).text())
                .contains("Anna and Ben");
    }

    @Test
    void it_does_not_shrug_twice_in_the_same_words() {
        Replies.Reply first = Replies.to("xyz", List.of(), NEW);
        assertThat(Replies.to("xyz", List.of(), first.memory()).text()).isNotEqualTo(first.text());
    }
}

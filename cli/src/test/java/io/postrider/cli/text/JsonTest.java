package io.postrider.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("security")
class JsonTest {
    @Test
    void an_object_is_printed_on_one_line_whatever_it_contains() {
        String line = new JsonLine()
                .text("text", "a\"b\\c\n\r\t\u001b[31m\u2028")
                .text("none", null)
                .number("number", 7)
                .bool("yes", true)
                .time("time", Instant.parse("2026-01-02T03:04:05.006Z"))
                .texts("texts", List.of("a", "\""))
                .numbers("numbers", List.of(1, 2))
                .raw("raw", "{\"n\": 1e400,\n\"s\": \"\u0085\"}")
                .toString();
        assertThat(line)
                .isEqualTo(
                        "{\"text\":\"a\\\"b\\\\c\\n\\r\\t\\u001b[31m\\u2028\",\"none\":null,\"number\":7,\"yes\":true,"
                                + "\"time\":\"2026-01-02T03:04:05.006000Z\",\"texts\":[\"a\",\"\\\"\"],\"numbers\":[1,2],"
                                + "\"raw\":{\"n\": 1e400, \"s\": \"\\u0085\"}}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                " [] ",
                "\"\"",
                "0",
                "-0.5e+10",
                "1E9",
                "true",
                "false",
                "null",
                "{\"a\":[1,{\"b\":\"\\u00e4\\n\"}]}"
            })
    void json_is_accepted(String text) throws Exception {
        JsonScanner.check(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "}",
                "{a:1}",
                "{'a':1}",
                "{\"a\":}",
                "{\"a\":1,}",
                "[1,]",
                "[1 2]",
                "01",
                "1.",
                ".5",
                "+1",
                "1e",
                "tru",
                "NaN",
                "\"a",
                "\"\\x\"",
                "\"\\u12g4\"",
                "\"\t\"",
                "{} {}",
                "-",
                "nul",
                "{\"a\" 1}"
            })
    void malformed_json_is_refused(String text) {
        assertThatThrownBy(() -> JsonScanner.check(text)).isInstanceOf(JsonScanner.NotJson.class);
    }

    @Test
    void deep_nesting_is_refused_without_a_stack_overflow() {
        assertThatThrownBy(() -> JsonScanner.check("[".repeat(100_000)))
                .isInstanceOf(JsonScanner.NotJson.class)
                .hasMessageContaining("deep");
    }

    @Test
    void the_error_names_the_character() {
        assertThatThrownBy(() -> JsonScanner.check("{\"a\": 1, b: 2}")).hasMessageContaining("character 10");
    }

    @Test
    void the_values_of_an_object_are_returned_unchanged() throws Exception {
        assertThat(JsonScanner.object("{\"a\": 1e400 , \"b\":{\"c\": [1, 2]},\"\\u00e4\":\"x\\ty\"}"))
                .containsEntry("a", "1e400")
                .containsEntry("b", "{\"c\": [1, 2]}")
                .containsEntry("ä", "\"x\\ty\"");
        assertThat(JsonScanner.string("\"x\\ty\\ud83d\\ude00\"")).isEqualTo("x\ty😀");
        assertThat(JsonScanner.string("null")).isNull();
    }

    @Test
    void a_name_that_comes_twice_is_refused() {
        assertThatThrownBy(() -> JsonScanner.object("{\"a\":1,\"a\":2}")).hasMessageContaining("twice");
    }
}

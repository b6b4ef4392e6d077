package io.postrider.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Psql;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@PostgresTest
@Tag("security")
class QuotedTest {
    private static final List<String> NASTY = List.of(
            "plain-1.x:y@z",
            "left behind",
            "two  spaces",
            " edge ",
            "x'; drop schema postrider cascade; --",
            "x\\'; select 1; --",
            "a\"b",
            "a\r\nb\u001b[2J\u0001F",
            "$(reboot) `reboot` !! %n",
            "größe \u202e \ud83d\ude00 → x");

    @Test
    void quoted_literals_and_names_keep_the_value_without_control_characters(TestDatabase database) throws Exception {
        try (Psql psql = new Psql(database)) {
            for (String text : NASTY) {
                assertThat(psql.text("select " + Quoted.literal(text))).isEqualTo(text);
                psql.execute("set standard_conforming_strings = off");
                assertThat(psql.text("select " + Quoted.literal(text))).isEqualTo(text);
                psql.execute("reset standard_conforming_strings");
                assertThat(psql.text("select k from json_object_keys((select row_to_json(r) from (select 1 as "
                                + Quoted.name(text) + ") r)) k"))
                        .isEqualTo(text);
                assertThat(Quoted.literal(text)).matches("E?'[A-Za-z0-9_.:@\\\\-]*( [A-Za-z0-9_.:@-]+)*'");
                assertThat(Quoted.name(text)).matches("(U&)?\"[A-Za-z0-9_.:@\\\\+-]*( [A-Za-z0-9_.:@-]+)*\"");
                assertThat(Quoted.line(text)).doesNotContain("\n", "\r", "\u001b");
            }
        }
        assertThat(Quoted.line("app")).isEqualTo("app");
        assertThat(Quoted.literal("left behind")).isEqualTo("'left behind'");
        assertThat(Quoted.name("app")).isEqualTo("\"app\"");
    }
}

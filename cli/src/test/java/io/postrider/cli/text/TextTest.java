package io.postrider.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.cli.text.Table.Cell;
import io.postrider.cli.text.Table.Column;
import java.util.List;
import org.junit.jupiter.api.Test;

class TextTest {
    @Test
    void the_nearest_word_is_found_and_a_far_one_is_not() {
        List<String> words = List.of("tail", "emit", "listeners", "dead-letters");
        assertThat(Nearest.to("tial", words)).contains("tail");
        assertThat(Nearest.to("listner", words)).contains("listeners");
        assertThat(Nearest.to("dead", words)).contains("dead-letters");
        assertThat(Nearest.to("DEAD-LETTER", words)).contains("dead-letters");
        assertThat(Nearest.to("banana", words)).isEmpty();
        assertThat(Nearest.to("tail", List.of())).isEmpty();
    }

    @Test
    void text_of_strangers_cannot_steer_the_terminal() {
        assertThat(Clean.line("a\u001b[2Jb\r\nc\u0007\u009b31m\u202e")).isEqualTo("a [2Jb c 31m");
        assertThat(Clean.shorten("abcdef", 4)).isEqualTo("abc…");
        assertThat(Clean.shorten("abc😀def", 5)).isEqualTo("abc…");
        assertThat(Clean.shorten("abc", 3)).isEqualTo("abc");
    }

    @Test
    void a_table_lines_up_and_colours_take_no_room() {
        Ink ink = new Ink(true);
        List<String> lines = new Table(Column.left("NAME"), Column.right("COUNT"), Column.left("STATE"))
                .row(Cell.of("a", ink::bold), Cell.of(1), Cell.of("ok"))
                .row(Cell.of("longer"), Cell.of(12_345), Cell.of("bad", ink::red))
                .lines(ink);
        assertThat(lines.stream().map(line -> line.replaceAll("\u001b\\[[0-9]+m", "")))
                .containsExactly("NAME     COUNT  STATE", "a            1  ok", "longer  12,345  bad");
    }

    @Test
    void a_rich_line_is_cut_by_what_is_seen() {
        Ink ink = new Ink(true);
        String line = new Rich().add("abc", ink::red).add("defgh", ink::green).cut(5);
        assertThat(line.replaceAll("\u001b\\[[0-9]+m", "")).isEqualTo("abcd…");
        assertThat(new Rich().add("abc").right("xyz", 10, ink::dim).length()).isEqualTo(10);
        assertThat(new Rich().add("abcdefgh").right("xyz", 10, ink::dim).length())
                .isEqualTo(8);
    }

    @Test
    void without_colours_text_stays_as_it_is() {
        assertThat(new Ink(false).red("x")).isEqualTo("x");
    }
}

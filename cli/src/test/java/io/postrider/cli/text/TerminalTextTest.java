package io.postrider.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.cli.text.Table.Cell;
import io.postrider.cli.text.Table.Column;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("security")
class TerminalTextTest {
    @Test
    void control_characters_are_removed_from_text() {
        assertThat(PrintableText.line("a\u001b[2Jb\r\nc\u0007\u009b31m\u202e")).isEqualTo("a [2Jb c 31m");
        assertThat(PrintableText.shorten("abcdef", 4)).isEqualTo("abc…");
        assertThat(PrintableText.shorten("abc😀def", 5)).isEqualTo("abc…");
        assertThat(PrintableText.shorten("abc", 3)).isEqualTo("abc");
    }

    @Test
    void a_table_lines_up_and_colours_take_no_room() {
        AnsiColours colours = new AnsiColours(true);
        List<String> lines = new Table(Column.left("NAME"), Column.right("COUNT"), Column.left("STATE"))
                .row(Cell.of("a", colours::bold), Cell.of(1), Cell.of("ok"))
                .row(Cell.of("longer"), Cell.of(12_345), Cell.of("bad", colours::red))
                .lines(colours);
        assertThat(lines.stream().map(line -> line.replaceAll("\u001b\\[[0-9]+m", "")))
                .containsExactly("NAME     COUNT  STATE", "a            1  ok", "longer  12,345  bad");
    }

    @Test
    void a_styled_line_is_cut_by_its_visible_width() {
        AnsiColours colours = new AnsiColours(true);
        String line = new StyledLine()
                .add("abc", colours::red)
                .add("defgh", colours::green)
                .cut(5);
        assertThat(line.replaceAll("\u001b\\[[0-9]+m", "")).isEqualTo("abcd…");
        assertThat(new StyledLine().add("abc").right("xyz", 10, colours::dim).length())
                .isEqualTo(10);
        assertThat(new StyledLine()
                        .add("abcdefgh")
                        .right("xyz", 10, colours::dim)
                        .length())
                .isEqualTo(8);
    }

    @Test
    void without_colours_text_stays_as_it_is() {
        assertThat(new AnsiColours(false).red("x")).isEqualTo("x");
    }
}

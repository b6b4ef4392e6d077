package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.postrider.server.log.TextLines;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Text of others cannot forge a line of the text log. */
@Tag("security")
class TextLinesTest {
    private static String line(String message, @Nullable Throwable thrown) {
        return new TextLines()
                .format(new LoggingEvent(
                        "",
                        new LoggerContext().getLogger("io.postrider.Some"),
                        Level.WARN,
                        message,
                        thrown,
                        new Object[0]));
    }

    @Test
    void control_characters_of_a_message_are_escaped() {
        assertThat(line("error=\"no\n2026 INFO forged\u001b[2J\u202e\r\"", null))
                .endsWith("WARN  [" + Thread.currentThread().getName()
                        + "] io.postrider.Some : error=\"no\\n2026 INFO forged\\u001b[2J\\u202e\\u000d\"\n")
                .hasLineCount(1);
    }

    @Test
    void so_are_those_of_an_exception_and_its_cause() {
        String text = line("failed", new IllegalStateException("a\nb", new IllegalArgumentException("c\u0007d")));
        assertThat(text)
                .contains(
                        "java.lang.IllegalStateException: a\\nb\n",
                        "Caused by: java.lang.IllegalArgumentException: c\\u0007d\n",
                        "\tat io.postrider.server.TextLinesTest");
    }
}

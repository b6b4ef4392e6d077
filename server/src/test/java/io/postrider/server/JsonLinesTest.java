package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.postrider.Options;
import io.postrider.gateway.GatewayOptions;
import io.postrider.server.log.JsonLines;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A line of the log is one JSON object whose fields a search can use, and no value can pretend to be another field. */
@Tag("security")
class JsonLinesTest {
    private static JsonNode line(String logger, Throwable thrown, String pattern, Object... arguments) {
        Logger log = (Logger) LoggerFactory.getLogger(logger);
        String text = new JsonLines().format(new LoggingEvent("test", log, Level.WARN, pattern, thrown, arguments));
        assertThat(text).endsWith("}\n");
        assertThat(text.substring(0, text.length() - 1)).doesNotContain("\n");
        return new JsonMapper().readTree(text);
    }

    @Test
    void names_and_values_of_our_lines_are_fields() {
        JsonNode line = line(
                "io.postrider.internal.listen.ListenerRun",
                null,
                "outbox_publish_failed listener={} position={} event_id={} attempt={} retry_in={} error=\"{}\"",
                "mail",
                42L,
                "6f0e",
                2,
                Duration.ofSeconds(1),
                "timed out");
        assertThat(line.path("event").asString()).isEqualTo("outbox_publish_failed");
        assertThat(line.path("listener").asString()).isEqualTo("mail");
        assertThat(line.path("position").isIntegralNumber()).isTrue();
        assertThat(line.path("retry_in").asString()).isEqualTo("PT1S");
        assertThat(line.path("error").asString()).isEqualTo("timed out");
        assertThat(line.path("level").asString()).isEqualTo("warn");
        assertThat(line.path("message").asString()).contains("listener=mail position=42");
        assertThat(line.path("time").asString()).endsWith("Z");
    }

    @Test
    void options_that_stand_in_a_line_as_a_whole_are_fields_and_one_word_is_an_event_too() {
        Options options = Options.defaults().withNode("n1").withPayloadCap(2_000);
        JsonNode started = line("io.postrider.Postrider", null, "node_started {}", options);
        assertThat(started.path("event").asString()).isEqualTo("node_started");
        assertThat(started.path("node").asString()).isEqualTo("n1");
        assertThat(started.path("payload_cap").asInt()).isEqualTo(2_000);
        JsonNode opened = line("io.postrider.gateway.Hub", null, "hub_opened {}", GatewayOptions.of("chat", "orders"));
        assertThat(opened.path("topics").asString())
                .startsWith("[")
                .endsWith("]")
                .contains("chat", "orders");
        assertThat(opened.path("rooms").isIntegralNumber()).isTrue();
        assertThat(opened.path("same_origin").isBoolean()).isTrue();
        JsonNode migrated = line(
                "io.postrider.internal.schema.Migrator",
                null,
                "migrated schema={} applied={}",
                "postrider",
                List.of(1, 2));
        assertThat(migrated.path("event").asString()).isEqualTo("migrated");
        assertThat(migrated.path("schema").asString()).isEqualTo("postrider");
        JsonNode told = line("io.postrider.x", null, "some_thing {}", "listener=forged");
        assertThat(told.has("listener")).as("a text is no options").isFalse();
        assertThat(line("io.postrider.x", null, "tenure of {} could not be ended", "x")
                        .has("event"))
                .isFalse();
    }

    @Test
    void a_value_cannot_pretend_to_be_a_field_or_a_line() {
        JsonNode line = line(
                "io.postrider.x",
                null,
                "job_failed queue={} error=\"{}\"",
                "mail level=error",
                "x\" listener=forged\n{\"level\":\"info\"} ${jndi:ldap://x} \u001b[31m");
        assertThat(line.has("listener")).isFalse();
        assertThat(line.path("level").asString()).isEqualTo("warn");
        assertThat(line.path("error").asString()).contains("${jndi:ldap://x}");
    }

    @Test
    void the_lines_of_others_are_text_with_their_stack_trace() {
        JsonNode line = line("org.other", new IllegalStateException("why"), "some_thing went wrong: {}", "x");
        assertThat(line.has("event")).isFalse();
        assertThat(line.path("message").asString()).isEqualTo("some_thing went wrong: x");
        assertThat(line.path("stack_trace").asString()).contains("IllegalStateException: why");
    }
}

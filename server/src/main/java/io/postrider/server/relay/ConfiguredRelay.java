package io.postrider.server.relay;

import io.postrider.FailurePolicy;
import io.postrider.Listener;
import io.postrider.PostriderException;
import io.postrider.Sink;
import io.postrider.StartPoint;
import io.postrider.admin.Publisher;
import io.postrider.support.Suggestion;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A relay as configured by {@code postrider.relays.<name>}. Its creator closes the sink after the node has stopped. */
public record ConfiguredRelay(Listener listener, Sink sink) {

    /**
     * Creates a relay from its settings.
     *
     * @param environment for values that a type reads from elsewhere, such as REDIS_HOST
     */
    public static ConfiguredRelay of(
            String name, Map<String, String> settings, UnaryOperator<@Nullable String> environment) {
        Given given = new Given(name, settings);
        SinkType sinkType = sinkType(given);
        String topic = given.needed("topic");
        Sink sink = sinkType.sink(given, environment);
        try {
            Listener listener = listener(given, Listener.relay(name, topic, sink));
            comparedTable(given);
            given.refuseOthers();
            return new ConfiguredRelay(listener, sink);
        } catch (PostriderException e) {
            sink.close();
            throw e;
        }
    }

    /** The table that a relay in shadow mode is compared with, if its settings name one. */
    public static Optional<Publisher.Table> comparedTable(String name, Map<String, String> settings) {
        return comparedTable(new Given(name, settings));
    }

    private static Optional<Publisher.Table> comparedTable(Given given) {
        Optional<String> table = given.text("compare-table");
        Optional<String> id = given.text("compare-id");
        Optional<String> published = given.text("compare-published");
        Optional<String> order = given.text("compare-order");
        Optional<String> payload = given.text("compare-payload");
        if (table.isEmpty() && Stream.of(id, published, order, payload).anyMatch(Optional::isPresent)) {
            throw given.refused("compare-table", "must be given with the other compare settings");
        }
        try {
            return table.map(Publisher::table)
                    .map(one -> id.map(one::withId).orElse(one))
                    .map(one -> published.map(one::withPublishedWhen).orElse(one))
                    .map(one -> order.map(one::withOrder).orElse(one))
                    .map(one -> payload.map(one::withPayload).orElse(one));
        } catch (PostriderException e) {
            throw given.refused("compare-table", "and what belongs to it: " + e.getMessage());
        }
    }

    /** Refuses an unknown or missing type before anything is opened that would have to be closed again. */
    public static void refuseUnknownType(String name, Map<String, String> settings) {
        sinkType(new Given(name, settings));
    }

    private static SinkType sinkType(Given given) {
        String type = given.needed("type");
        SinkType sinkType = SinkType.ALL.get(type);
        if (sinkType == null) {
            Set<String> types = new TreeSet<>(SinkType.ALL.keySet());
            throw given.refused(
                    "type", "must be one of " + types + ", was '" + type + "'" + Suggestion.hint(type, types));
        }
        return sinkType;
    }

    private static Listener listener(Given given, Listener plain) {
        Listener listener = plain.withPaused(given.flag("paused")).withShadow(given.flag("shadow"));
        List<String> types = given.texts("types");
        if (!types.isEmpty()) {
            listener = listener.withTypes(types.toArray(String[]::new));
        }
        List<String> projects = given.texts("projects");
        if (!projects.isEmpty()) {
            listener = listener.withProjects(projects.toArray(String[]::new));
        }
        listener = given.number("batch").map(listener::withBatch).orElse(listener);
        listener = given.number("concurrency").map(listener::withConcurrency).orElse(listener);
        listener = given.number("attempts").map(listener::withAttempts).orElse(listener);
        listener = given.text("policy")
                .map(text -> policy(given, text))
                .map(listener::withPolicy)
                .orElse(listener);
        listener = given.text("start")
                .map(text -> start(given, text))
                .map(listener::withStart)
                .orElse(listener);
        Duration backoff = given.time("backoff").orElse(Duration.ofSeconds(1));
        return listener.withBackoff(backoff, given.time("backoff-cap").orElse(Duration.ofMinutes(5)));
    }

    private static FailurePolicy policy(Given given, String text) {
        return Arrays.stream(FailurePolicy.values())
                .filter(one -> one.name().toLowerCase(Locale.ROOT).equals(text))
                .findFirst()
                .orElseThrow(() -> given.refused("policy", "must be block, park or skip, was '" + text + "'"));
    }

    private static StartPoint start(Given given, String text) {
        if (text.equals("beginning")) {
            return StartPoint.beginning();
        }
        if (text.equals("end")) {
            return StartPoint.end();
        }
        if (text.matches("[0-9]{1,18}")) {
            return StartPoint.position(Long.parseLong(text));
        }
        try {
            return StartPoint.time(Instant.parse(text));
        } catch (DateTimeParseException e) {
            throw given.refused("start", "must be beginning, end, a position, or a time such as 2026-05-01T12:00:00Z");
        }
    }
}

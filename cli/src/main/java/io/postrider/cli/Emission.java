package io.postrider.cli;

import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import java.sql.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Writes events in one transaction, and says in a sentence which rule of the table one of them breaks. */
record Emission(Postrider postrider, Connection connection, int payloadCap) {

    void emit(Event event) {
        try {
            postrider.emit(connection, event);
        } catch (PostriderException e) {
            throw explained(e);
        }
    }

    void emitAll(List<Event> events) {
        try {
            postrider.emitAll(connection, events);
        } catch (PostriderException e) {
            throw explained(e);
        }
    }

    /** The server's own words for a broken rule hold the row, payload and all. */
    private PostriderException explained(PostriderException e) {
        String rule = rule(e);
        String sentence = switch (rule) {
            case "event_payload_is_under_the_cap" ->
                "a payload is longer than the payload cap of " + payloadCap
                        + " bytes as PostgreSQL writes it, with a space after each colon and comma; store it elsewhere"
                        + " and emit a reference, or raise the cap with `postrider migrate --payload-cap`";
            case "event_headers_are_small" -> "headers must have at most 16384 bytes; put content in the payload";
            case "event_headers_are_an_object" -> "headers must be a JSON object";
            case "event_key_is_short" -> "key must have at most 1024 bytes; use a hash of it";
            default -> "";
        };
        return sentence.isEmpty() ? e : new PostriderException(PostriderException.Kind.REFUSED, sentence, e);
    }

    private static String rule(@Nullable Throwable error) {
        for (Throwable e = error; e != null; e = e.getCause()) {
            @Nullable ServerErrorMessage message = e instanceof PSQLException sql ? sql.getServerErrorMessage() : null;
            @Nullable String constraint = message == null ? null : message.getConstraint();
            if (constraint != null) {
                return constraint;
            }
        }
        return "";
    }
}

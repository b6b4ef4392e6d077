package io.postrider.bench.realtime;

import io.postrider.Envelope;
import io.postrider.Event;
import io.postrider.LogEvent;
import io.postrider.bench.load.Payloads;
import java.time.Instant;
import java.util.UUID;

/**
 * The messages of both sides: one payload of about 200 bytes, to one room. A message's id contains the turn and its number in it.
 */
final class Messages {
    static final String TOPIC = "messages";
    static final String PROJECT = "bench";
    static final String ROOM = "project:" + PROJECT;

    private static final String TYPE = "message.sent";

    private Messages() {}

    static Event event(long turn, int number) {
        return Event.of(TOPIC, TYPE, Payloads.of(number))
                .withId(new UUID(turn, number))
                .withKey(Payloads.key(number))
                .withProject(PROJECT);
    }

    /** The same, as received by a client. */
    static String json(long turn, int number) {
        return Envelope.json(new LogEvent(
                TOPIC,
                number + 1L,
                new UUID(turn, number),
                TYPE,
                Payloads.of(number),
                Payloads.key(number),
                PROJECT,
                null,
                null,
                null,
                "{}",
                Instant.now()));
    }
}

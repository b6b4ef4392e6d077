package io.postrider.cli.events;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Log;

/** Where to start reading a topic: its beginning, its end, a position, or some events before the end. */
sealed interface TailStart {
    /** The oldest event that is kept. */
    record Beginning() implements TailStart {}

    /** After the last event. */
    record End() implements TailStart {}

    /** At a position. */
    record Position(long position) implements TailStart {}

    /** At the last N events. */
    record Last(long events) implements TailStart {}

    static TailStart parse(String text) {
        if (text.equals("beginning")) {
            return new Beginning();
        }
        if (text.equals("end")) {
            return new End();
        }
        if (text.matches("[0-9]{1,18}") && Long.parseLong(text) > 0) {
            return new Position(Long.parseLong(text));
        }
        if (text.matches("-[0-9]{1,18}")) {
            return new Last(-Long.parseLong(text));
        }
        throw PostriderException.refused(
                "--from must be beginning, end, a position from 1 on, or -N for the last N, was '" + text + "'");
    }

    /** The position after which to read. */
    default long after(Log log, String topic) {
        long head = log.head(topic);
        long oldest = log.oldest(topic);
        if (this instanceof Position at) {
            if (at.position() < oldest) {
                throw new PostriderException(
                        Kind.NOT_FOUND,
                        "position " + at.position() + " of topic " + topic + " is no longer kept, the oldest is "
                                + oldest + "; use --from beginning");
            }
            return at.position() - 1;
        }
        if (this instanceof Last last) {
            return Math.max(head - last.events(), oldest - 1);
        }
        return this instanceof Beginning ? oldest - 1 : head;
    }
}

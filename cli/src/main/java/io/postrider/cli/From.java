package io.postrider.cli;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.db.Database;
import io.postrider.log.LogReader;

/** Where to begin to read a topic: its beginning, its end, a position, or some events before the end. */
sealed interface From {
    /** The oldest event that is kept. */
    record Beginning() implements From {}

    /** After the last. */
    record End() implements From {}

    /** At a position. */
    record Position(long position) implements From {}

    /** With the last so many. */
    record Last(long events) implements From {}

    static From parse(String text) {
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
    default long after(Database database, String topic) {
        return database.autocommit(session -> {
            long head = new LogReader(database).head(session, topic);
            long oldest = LogReader.oldest(session, topic);
            if (this instanceof Position at) {
                if (at.position() < oldest) {
                    throw new PostriderException(
                            Kind.NOT_FOUND,
                            "position " + at.position() + " of topic " + topic + " is not kept any more, the oldest is "
                                    + oldest + "; use --from beginning");
                }
                return at.position() - 1;
            }
            if (this instanceof Last last) {
                return Math.max(head - last.events(), oldest - 1);
            }
            return this instanceof Beginning ? oldest - 1 : head;
        });
    }
}

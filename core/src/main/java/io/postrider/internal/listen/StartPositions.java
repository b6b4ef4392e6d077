package io.postrider.internal.listen;

import io.postrider.StartPoint;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.log.LogReader;

/** Finds the cursor for a {@link StartPoint}: the position before the first one that a listener handles. */
final class StartPositions {
    private static final Sql POSITION_AT = Sql.file("listen/position_at");

    private StartPositions() {}

    static long cursorFor(Session session, LogReader reader, String topic, StartPoint start) {
        long oldest = LogReader.oldest(session, topic) - 1;
        return switch (start.kind()) {
            case BEGINNING -> oldest;
            case END -> reader.head(session, topic);
            case POSITION -> Math.min(Math.max(start.position() - 1, oldest), reader.head(session, topic));
            case TIME ->
                Math.max(
                        oldest,
                        session.one(
                                        POSITION_AT,
                                        bind -> bind.text("topic", topic).instant("time", start.time()),
                                        row -> row.int8("position"))
                                .orElseThrow());
        };
    }
}

package io.postrider.internal.log;

import io.postrider.internal.db.Row;
import java.sql.SQLException;
import java.util.List;

/** The result of one pass of a sequencer: the topics it moved, their new heads, and the range of ids that got positions. */
public record Pass(long n, List<String> topics, List<Long> heads, long lowId, long highId) {
    /** A row of {@code pass}, or of {@code sequence()}. */
    public static Pass read(Row row) throws SQLException {
        return new Pass(
                row.int8("n"), row.texts("topics"), row.int8s("heads"), row.int8("low_id"), row.int8("high_id"));
    }
}

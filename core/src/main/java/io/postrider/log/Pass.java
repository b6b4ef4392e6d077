package io.postrider.log;

import io.postrider.db.Row;
import java.sql.SQLException;
import java.util.List;

/** What one pass of a sequencer moved: the topics, their new heads, and the range of ids that got positions. */
public record Pass(long n, List<String> topics, List<Long> heads, long lowId, long highId) {
    /** A row of {@code pass}, or of {@code sequence()}. */
    public static Pass read(Row row) throws SQLException {
        return new Pass(
                row.int8("n"), row.texts("topics"), row.int8s("heads"), row.int8("low_id"), row.int8("high_id"));
    }
}

package io.postrider.internal.doctor.schema;

import io.postrider.admin.Finding;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.List;

/** The sequence has no cache. With a cache, a session uses low numbers late, which swaps events of one key. */
public final class SequenceCache implements Check {
    private static final Sql CACHE = Sql.file("doctor/sequence_cache");

    @Override
    public String name() {
        return "sequence cache";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        String sequence = examination.database().schema().text() + ".event_ids";
        long cache =
                examination.one(CACHE, Bind::nothing, row -> row.int8("cache")).orElse(0L);
        return List.of(
                cache == 1
                        ? Finding.ok(sequence + " has cache 1")
                        : Finding.fail(
                                sequence + " has cache " + cache + ": events of one key can be reordered",
                                "alter sequence " + sequence + " cache 1"));
    }
}

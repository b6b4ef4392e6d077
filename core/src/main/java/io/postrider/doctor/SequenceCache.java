package io.postrider.doctor;

import io.postrider.db.Bind;
import io.postrider.db.Sql;
import java.util.List;

/** With a larger cache a session draws low numbers late, and two events of one key change places. */
final class SequenceCache implements Check {
    private static final Sql CACHE = Sql.file("doctor/sequence_cache");

    @Override
    public String name() {
        return "sequence cache";
    }

    @Override
    public List<Finding> look(Examination examination) {
        String sequence = examination.database().schema().text() + ".event_ids";
        long cache =
                examination.one(CACHE, Bind::nothing, row -> row.int8("cache")).orElse(0L);
        return List.of(
                cache == 1
                        ? Finding.ok(sequence + " has cache 1")
                        : Finding.fail(
                                sequence + " has cache " + cache + ": events of one key can change places",
                                "alter sequence " + sequence + " cache 1"));
    }
}

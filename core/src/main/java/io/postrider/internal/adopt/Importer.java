package io.postrider.internal.adopt;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Adoptions.Progress;
import io.postrider.admin.Adoptions.Rows;
import io.postrider.admin.Adoptions.State;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Imports the old rows of a table, then releases the rows that the trigger has captured meanwhile.
 *
 * <pre>
 * OLD ROWS   in batches, in order; each batch and its ledger rows are one transaction. Writers go on; the trigger holds new rows.
 * HELD ROWS  in batches, in the order in which they were written.
 * SWITCH     under the table's lock no writer is in the middle of a transaction: the last held rows and the trigger that emits
 *            commit together. From now on each new row comes after all of these.
 * </pre>
 *
 * A crash at any point loses the current batch only, and the next import goes on from the ledger.
 */
final class Importer {
    private static final Sql CHECK = Sql.text(
            "adopt/check",
            "select c.pending, c.bad, c.bad_id, c.bad_problem from postrider.adopt_check(:spec::jsonb, :unfinished) c");
    private static final Sql BEGIN = Sql.text(
            "adopt/begin_import", "update postrider.adoption a set import_mode = :mode where a.source = :source");
    private static final Sql FORGET_REJECTED =
            Sql.text("adopt/forget_rejected", "delete from postrider.adoption_reject r where r.source = :source");
    private static final Sql IMPORT = Sql.text(
            "adopt/import", "select i.imported, i.rejected, i.more from postrider.adopt_import(:source, :most) i");
    private static final Sql RELEASE =
            Sql.text("adopt/release", "select r.released, r.skipped from postrider.adopt_release(:source, :most) r");
    private static final Sql HELD =
            Sql.text("adopt/held", "select count(*) as held from postrider.adoption_held h where h.source = :source");
    private static final Sql END = Sql.text(
            "adopt/end_import",
            "update postrider.adoption a set imported_at = clock_timestamp() where a.source = :source");

    private static final int BATCH = 1_000;

    /** As many captured rows as are moved while writers wait. */
    private static final int FEW = 500;

    private final Database database;
    private final TableLock lock;
    private final StoredAdoption adoption;
    private final Consumer<Progress> progress;
    private final Map<String, Long> counts = new LinkedHashMap<>();

    Importer(Database database, TableLock lock, StoredAdoption adoption, Consumer<Progress> progress) {
        this.database = database;
        this.lock = lock;
        this.adoption = adoption;
        this.progress = progress;
        for (String count : new String[] {"imported", "released", "skipped", "rejected"}) {
            counts.put(count, 0L);
        }
    }

    /** How many rows there are to import, and one that cannot be. */
    record Check(
            long found,
            long bad,
            @Nullable String badId,
            @Nullable String problem) {
        static Check of(Session session, String spec, boolean unfinished) {
            return session.one(
                            CHECK,
                            bind -> bind.text("spec", spec).bool("unfinished", unfinished),
                            row -> new Check(
                                    row.int8("pending"),
                                    row.int8("bad"),
                                    row.textOrNull("bad_id"),
                                    row.textOrNull("bad_problem")))
                    .orElseThrow();
        }

        @Nullable
        String example() {
            return badId == null ? null : "row " + badId + ": " + problem;
        }
    }

    Check check(Rows rows, boolean skipBad) {
        Check check = database.transaction(session -> Check.of(session, adoption.spec(), rows == Rows.UNFINISHED));
        if (check.bad() > 0 && !skipBad) {
            throw new PostriderException(
                    Kind.REFUSED,
                    check.bad() + " of " + check.found() + " rows of " + adoption.source()
                            + " cannot be imported, such as "
                            + check.example()
                            + "; nothing was imported. Correct or delete them, or leave them to the old"
                            + " system with --skip-bad");
        }
        return check;
    }

    Map<String, Long> run(Rows rows, boolean skipBad) {
        Check check = check(rows, skipBad);
        long held = held();
        database.transaction(session -> {
            session.update(
                    BEGIN,
                    bind -> bind.text("source", adoption.source())
                            .text("mode", rows.name().toLowerCase(Locale.ROOT)));
            return session.update(FORGET_REJECTED, bind -> bind.text("source", adoption.source()));
        });
        long total = check.found() + held;
        progress.accept(new Progress(0, total));
        while (database.transaction(this::importBatch)) {
            progress.accept(new Progress(done(), Math.max(total, done())));
        }
        while (held() > FEW) {
            database.transaction(this::release);
            progress.accept(new Progress(done(), Math.max(total, done())));
        }
        lock.hold(adoption.source(), false, session -> {
            Map<String, Long> before = new LinkedHashMap<>(counts);
            try {
                while (release(session) > 0) {
                    // until none is left: no writer can add one
                }
                adoption.become(session, State.EMITTING);
                return session.update(END, bind -> bind.text("source", adoption.source()));
            } catch (PostriderException e) {
                counts.putAll(before); // rolled back; the lock is tried again
                throw e;
            }
        });
        progress.accept(new Progress(done(), done()));
        return counts;
    }

    private boolean importBatch(Session session) {
        return session.one(
                        IMPORT, bind -> bind.text("source", adoption.source()).int4("most", BATCH), row -> {
                            add("imported", row.int8("imported"));
                            add("rejected", row.int8("rejected"));
                            return row.bool("more");
                        })
                .orElseThrow();
    }

    private long release(Session session) {
        return session.one(
                        RELEASE, bind -> bind.text("source", adoption.source()).int4("most", BATCH), row -> {
                            add("released", row.int8("released"));
                            add("skipped", row.int8("skipped"));
                            return row.int8("released") + row.int8("skipped");
                        })
                .orElseThrow();
    }

    private long held() {
        return database.transaction(session -> held(session, adoption.source()));
    }

    static long held(Session session, String source) {
        return session.one(HELD, bind -> bind.text("source", source), row -> row.int8("held"))
                .orElseThrow();
    }

    private void add(String count, long more) {
        counts.merge(count, more, Long::sum);
    }

    private long done() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }
}

package io.postrider.internal.adopt;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.StartPoint;
import io.postrider.admin.Adoption;
import io.postrider.admin.Adoptions;
import io.postrider.admin.Jobs;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Row;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Adopts tables of the database. Thread-safe. */
public final class JdbcAdoptions implements Adoptions {
    private static final Sql RECORD = Sql.file("adopt/record");
    private static final Sql STATUS = Sql.text("adopt/status", "select s.* from postrider.adopt_status(:source) s");
    private static final Sql CURSOR = Sql.text("adopt/cursor", "select postrider.adopt_cursor(:source) as position");
    private static final Sql HAS_ROWS =
            Sql.text("adopt/has_rows", "select postrider.adopt_has_rows(:spec::jsonb) as has_rows");
    private static final Sql END_MIRROR =
            Sql.text("adopt/end_mirror", "update postrider.adoption a set mirror = false where a.source = :source");
    private static final Sql FINISH = Sql.text(
            "adopt/finish",
            "update postrider.adoption a set finished_at = clock_timestamp(), mirror = false where a.source = :source");
    private static final Sql REOPEN = Sql.text(
            "adopt/reopen",
            "update postrider.adoption a set imported_at = null, imported_to = null, finished_at = null where a.source = :source");
    private static final Sql FORGET_HELD = Sql.file("adopt/forget_held");

    private final Database database;
    private final Jobs jobs;
    private final boolean isDry;
    private final Duration patience;

    public JdbcAdoptions(Database database, Jobs jobs) {
        this(database, jobs, false, Duration.ofSeconds(60));
    }

    private JdbcAdoptions(Database database, Jobs jobs, boolean isDry, Duration patience) {
        this.database = database;
        this.jobs = jobs;
        this.isDry = isDry;
        this.patience = patience;
    }

    @Override
    public Adoptions dryRun() {
        return new JdbcAdoptions(database, jobs, true, patience);
    }

    @Override
    public Adoptions withPatience(Duration most) {
        if (most.isNegative() || most.compareTo(Duration.ofDays(1)) > 0) {
            throw PostriderException.refused("patience must be PT0S..PT24H, was " + most);
        }
        return new JdbcAdoptions(database, jobs, isDry, most);
    }

    @Override
    public Plan plan(Adoption adoption) {
        return database.transaction(session -> {
            Mapping mapping = Recognition.of(OldTable.find(session, adoption.table()), adoption);
            String spec = mapping.spec(session);
            Importer.Check all = Importer.Check.of(session, spec, false);
            Importer.Check unfinished = Importer.Check.of(session, spec, true);
            return new Plan(
                    mapping.table().source(),
                    mapping.shape(),
                    mapping.target(),
                    mapping.type(),
                    mapping.columns(),
                    mapping.ignored(),
                    all.found(),
                    unfinished.found(),
                    all.bad(),
                    all.example(),
                    StoredAdoption.statements(session, spec));
        });
    }

    // ── bridge ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /** What is to be bridged, checked before the table is locked. */
    private record Prepared(Mapping mapping, String spec, List<Statement> statements) {}

    @Override
    public Result bridge(Adoption adoption) {
        if (adoption.topic() == null && adoption.queue() == null) {
            throw PostriderException.refused("bridge needs --topic T for events or --queue Q for jobs");
        }
        Prepared ready = database.transaction(session -> {
            Mapping mapping = Recognition.of(OldTable.find(session, adoption.table()), adoption);
            refuseSecond(session, mapping);
            String spec = mapping.spec(session);
            Importer.Check unfinished = Importer.Check.of(session, spec, true);
            if (unfinished.bad() > 0 && unfinished.bad() == unfinished.found()) {
                throw PostriderException.refused("no row of " + mapping.table().source() + " can be imported, such as "
                        + unfinished.example() + "; map other columns with --map column=field");
            }
            return new Prepared(
                    mapping,
                    spec,
                    StoredAdoption.statements(session, spec).stream()
                            .filter(one -> one.step() == Step.BRIDGE)
                            .toList());
        });
        String source = ready.mapping().table().source();
        if (isDry) {
            return result(source, Step.BRIDGE, State.HOLDING, Map.of(), ready.statements(), List.of());
        }
        State state = new TableLock(database, patience).hold(source, false, session -> attach(session, ready));
        return result(
                source,
                Step.BRIDGE,
                state,
                Map.of(),
                ready.statements(),
                List.of(
                        state == State.HOLDING
                                ? "new rows are captured; `postrider adopt import " + source
                                        + "` delivers them after the old ones"
                                : "new rows are emitted from now on"));
    }

    private static State attach(Session session, Prepared ready) {
        refuseSecond(session, ready.mapping());
        boolean waits = !ready.mapping().adoption().newOnly()
                && session.one(HAS_ROWS, bind -> bind.text("spec", ready.spec()), row -> row.bool("has_rows"))
                        .orElseThrow();
        State state = waits ? State.HOLDING : State.EMITTING;
        StoredAdoption.attach(session, ready.spec(), state);
        session.update(
                RECORD,
                bind -> bind.text("source", ready.mapping().table().source())
                        .text("state", StoredAdoption.text(state))
                        .text("topic", ready.mapping().topic())
                        .text("spec", ready.spec()));
        return state;
    }

    private static void refuseSecond(Session session, Mapping mapping) {
        StoredAdoption.find(session, mapping.table().source()).ifPresent(there -> {
            if (there.state() != State.UNDONE) {
                throw new PostriderException(
                        Kind.CONFLICT,
                        there.source() + " is already adopted to " + there.target() + " and is "
                                + StoredAdoption.text(there.state()) + "; see `postrider adopt status " + there.source()
                                + "`");
            }
            if (!there.topic().equals(mapping.topic())) {
                throw new PostriderException(
                        Kind.CONFLICT,
                        there.source() + " was adopted to " + there.target()
                                + " before, which has some of its rows; adopt it to that again");
            }
        });
    }

    // ── import and mirror ───────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public Result importRows(String table, Rows rows, boolean skipBad, Consumer<Progress> progress) {
        StoredAdoption adoption = stored(table).require("import", State.HOLDING, State.EMITTING);
        Rows wanted = adoption.jobs() ? Rows.UNFINISHED : rows;
        List<Statement> statements = statements(adoption, Step.IMPORT);
        if (adoption.state() == State.EMITTING) {
            return result(
                    adoption.source(),
                    Step.IMPORT,
                    adoption.state(),
                    Map.of("imported", 0L),
                    statements,
                    List.of("nothing to import: new rows are emitted since "
                            + adoption.importing().at() + ", and older ones would come after them"));
        }
        Importer importer = new Importer(database, new TableLock(database, patience), adoption, progress);
        if (isDry) {
            Importer.Check check = importer.check(wanted, skipBad);
            Map<String, Long> counts = new LinkedHashMap<>();
            counts.put("imported", check.found() - check.bad());
            counts.put("released", read(session -> Importer.held(session, adoption.source())));
            counts.put("rejected", check.bad());
            return result(adoption.source(), Step.IMPORT, adoption.state(), counts, statements, List.of());
        }
        Map<String, Long> counts = importer.run(wanted, skipBad);
        return result(
                adoption.source(),
                Step.IMPORT,
                State.EMITTING,
                counts,
                statements,
                List.of("new rows are emitted in the writer's transaction from now on"));
    }

    @Override
    public Result mirror(String table, @Nullable String listener) {
        StoredAdoption adoption = stored(table).require("mirror", State.EMITTING, State.HOLDING);
        if (adoption.jobs() && listener != null) {
            throw PostriderException.refused("the mirror of a job table follows its queue; leave out --listener");
        }
        Mirror mirror = new Mirror(database, adoption);
        if (!isDry) {
            mirror.follow(listener);
        }
        return result(
                adoption.source(),
                Step.MIRROR,
                adoption.state(),
                isDry ? Map.of() : Map.of("written", mirror.pass()),
                statements(adoption, Step.MIRROR),
                List.of());
    }

    // ── status ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public Status status(String table) {
        StoredAdoption adoption = stored(table);
        return read(session -> session.one(
                        STATUS, bind -> bind.text("source", adoption.source()), row -> status(adoption, row)))
                .orElseThrow();
    }

    private static Status status(StoredAdoption adoption, Row row) throws SQLException {
        Map<String, List<String>> examples = new LinkedHashMap<>();
        for (String name : List.of("not_adopted", "rejected", "only_there", "only_here")) {
            examples.put(name, row.texts(name + "_examples"));
        }
        Long rows = row.int8OrNull("rows_total");
        return new Status(
                adoption.source(),
                adoption.state(),
                adoption.target(),
                adoption.mirroring().on(),
                adoption.bridgedAt(),
                adoption.importing().at(),
                adoption.lastRowAt(),
                rows == null ? -1 : rows,
                row.int8("rows_unfinished"),
                row.int8("rows_not_adopted"),
                row.int8("bridged"),
                row.int8("imported"),
                row.int8("skipped"),
                row.int8("held"),
                row.int8("rejected"),
                row.int8("done_only_there"),
                row.int8("done_only_here"),
                examples);
    }

    @Override
    public StartPoint afterFinished(String table) {
        StoredAdoption adoption = stored(table);
        if (adoption.jobs()) {
            throw PostriderException.refused(adoption.source() + " is adopted to a queue, which has no listeners");
        }
        jobs.sequence(); // events without a position would not be found
        long position = read(session -> session.one(
                        CURSOR, bind -> bind.text("source", adoption.source()), row -> row.int8("position")))
                .orElseThrow();
        return StartPoint.position(position + 1);
    }

    // ── finish and undo ─────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public Result finish(String table, boolean force) {
        StoredAdoption adoption = stored(table).require("finish", State.EMITTING);
        Status status = status(table);
        if (!force && (status.notAdopted() > 0 || status.rejected() > 0)) {
            throw new PostriderException(
                    Kind.CONFLICT,
                    adoption.source() + " has " + status.notAdopted() + " unfinished rows that were not taken over and "
                            + status.rejected() + " that could not be; see `postrider adopt status " + adoption.source()
                            + "`, or finish with --force");
        }
        List<Statement> statements = statements(adoption, Step.FINISH);
        List<String> notes = List.of(
                "may be dropped when nothing writes to it: drop table " + adoption.source(),
                "may be deleted when consumers no longer ask for old ids: delete from postrider.adopted where source = '"
                        + adoption.source().replace("'", "''") + "'");
        if (isDry) {
            return result(adoption.source(), Step.FINISH, State.FINISHED, Map.of(), statements, notes);
        }
        long written = adoption.mirroring().on() ? new Mirror(database, adoption).pass() : 0;
        new TableLock(database, patience).hold(adoption.source(), true, session -> {
            adoption.become(session, State.FINISHED);
            return session.update(FINISH, bind -> bind.text("source", adoption.source()));
        });
        return result(adoption.source(), Step.FINISH, State.FINISHED, Map.of("written", written), statements, notes);
    }

    @Override
    public Result undo(Step step, String table) {
        StoredAdoption adoption = stored(table);
        return switch (step) {
            case BRIDGE -> undoBridge(adoption.require("undo bridge", State.HOLDING, State.EMITTING));
            case IMPORT -> reopen(adoption.require("undo import", State.EMITTING), step);
            case FINISH -> reopen(adoption.require("undo finish", State.FINISHED), step);
            case MIRROR -> {
                if (!isDry) {
                    database.transaction(
                            session -> session.update(END_MIRROR, bind -> bind.text("source", adoption.source())));
                }
                yield result(adoption.source(), step, adoption.state(), Map.of(), List.of(), List.of());
            }
        };
    }

    private Result undoBridge(StoredAdoption adoption) {
        Map<String, Long> counts = new LinkedHashMap<>();
        if (!isDry) {
            new TableLock(database, patience).hold(adoption.source(), true, session -> {
                counts.put("dropped", (long)
                        session.update(FORGET_HELD, bind -> bind.text("source", adoption.source())));
                adoption.become(session, State.UNDONE);
                return true;
            });
            giveBack(adoption, counts);
        }
        return result(
                adoption.source(),
                Step.BRIDGE,
                State.UNDONE,
                counts,
                List.of(),
                notes(
                        adoption,
                        "the old system goes on; rows that are written from now on are taken over by a later bridge and import"));
    }

    /** Back to the state after the bridge: new rows are captured until the next import. */
    private Result reopen(StoredAdoption adoption, Step step) {
        Map<String, Long> counts = new LinkedHashMap<>();
        if (!isDry) {
            new TableLock(database, patience).hold(adoption.source(), false, session -> {
                adoption.become(session, State.HOLDING);
                return session.update(REOPEN, bind -> bind.text("source", adoption.source()));
            });
            if (step == Step.IMPORT) {
                giveBack(adoption, counts);
            }
        }
        return result(
                adoption.source(),
                step,
                State.HOLDING,
                counts,
                List.of(),
                notes(adoption, "new rows are captured again; `postrider adopt import` delivers them"));
    }

    /** The old system takes over again: it learns what is done, and jobs that are not are left to it. */
    private void giveBack(StoredAdoption adoption, Map<String, Long> counts) {
        Mirror mirror = new Mirror(database, adoption);
        if (adoption.jobs()) {
            jobs.sequence(); // a job without a position cannot be cancelled
            long written = mirror.pass(); // most have ended, and need no cancellation
            counts.put("cancelled", mirror.cancel(jobs));
            counts.put("written", written + mirror.pass());
        } else if (adoption.mirroring().on()) {
            counts.put("written", mirror.pass());
        }
    }

    private static List<String> notes(StoredAdoption adoption, String first) {
        List<String> notes = new ArrayList<>(List.of(first));
        if (!adoption.jobs()) {
            notes.add(
                    "events that were emitted remain in " + adoption.target() + ", and are not emitted a second time");
        }
        return notes;
    }

    // ── shared ──────────────────────────────────────────────────────────────────────────────────────────────────────

    private StoredAdoption stored(String table) {
        return read(session -> StoredAdoption.of(session, table));
    }

    private List<Statement> statements(StoredAdoption adoption, Step step) {
        return read(session -> adoption.statements(session, step));
    }

    private <T> T read(Database.Work<T> work) {
        return database.transaction(work);
    }

    private Result result(
            String source,
            Step step,
            State state,
            Map<String, Long> counts,
            List<Statement> statements,
            List<String> notes) {
        return new Result(source, step, state, isDry, counts, statements, notes);
    }
}

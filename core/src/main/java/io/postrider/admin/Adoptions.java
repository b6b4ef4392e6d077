package io.postrider.admin;

import io.postrider.StartPoint;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes over an existing outbox or job table while its writers go on, step by step: {@link #plan}, {@link #bridge},
 * {@link #importRows}, {@link #mirror}, {@link #finish}. Each step can be repeated after a crash, and undone. Thread-safe.
 *
 * <p>The role must own the table, or be a member of the role that does. A table is named {@code schema.table}; without a schema,
 * it is in {@code public}.
 */
public interface Adoptions {
    /** The same, but each step only reports what it would do and changes nothing. */
    Adoptions dryRun();

    /** The same, but a step that needs a moment without open write transactions tries for this long to find one. Default 60 s. */
    Adoptions withPatience(Duration most);

    /** Recognises a table: its shape, what its columns mean, and every statement that the steps run on it. Read-only. */
    Plan plan(Adoption adoption);

    /**
     * Adds a trigger: from now on each new row is also emitted or enqueued in the writer's transaction. If the table has rows, new
     * rows are captured but delivered only after {@link #importRows}, so that older rows come first.
     *
     * @throws io.postrider.PostriderException of kind NOT_FOUND if the table does not exist; REFUSED if it cannot be adopted;
     *     CONFLICT if it is adopted already, or if no lock could be had
     */
    Result bridge(Adoption adoption);

    /**
     * Imports the rows that were there before the bridge, in order and in batches, then releases the rows that the bridge has
     * captured meanwhile. Of a job table only unfinished rows are imported.
     *
     * @param skipBad whether rows that cannot become an event are left to the old system. If not, one such row is refused before
     *     anything is imported
     */
    Result importRows(String table, Rows rows, boolean skipBad, Consumer<Progress> progress);

    /**
     * Writes back to the old table what listeners or workers have finished since the last call: the time, status, attempts and
     * error. Call it repeatedly for as long as the old table is to be kept up to date.
     *
     * @param listener the listener that counts; null: a row is finished when every listener of the topic has finished it
     */
    Result mirror(String table, @Nullable String listener);

    /** Both sides in numbers, with their differences. Read-only. */
    Status status(String table);

    /** Where a listener starts that repeats nothing which the old consumer has finished in order. */
    StartPoint afterFinished(String table);

    /**
     * Removes the trigger and ends the mirror; the result names what may be dropped. Rows that are inserted into the old table
     * from now on are not taken over.
     *
     * @param force whether to finish even if unfinished rows of the old table were not taken over
     */
    Result finish(String table, boolean force);

    /** Undoes a step: the old system goes on and has lost nothing. Events that were emitted remain in the log. */
    Result undo(Step step, String table);

    /** The shape of a table. */
    enum Shape {
        /** A column has the time at which a row was processed. */
        FLAG,
        /** A column has the status of a row. */
        STATUS,
        /** The publisher deletes a row after publishing it. */
        DELETE,
        /** Workers claim rows. */
        JOBS,
        /** None of these; the columns were mapped. */
        MAPPED
    }

    /** A step of an adoption. */
    enum Step {
        BRIDGE,
        IMPORT,
        MIRROR,
        FINISH
    }

    /** Which rows to import. */
    enum Rows {
        ALL,
        /** Those that the old system has not finished. */
        UNFINISHED
    }

    /** The state of an adoption. */
    enum State {
        /** The bridge captures new rows, which wait for the import. */
        HOLDING,
        /** The bridge emits new rows. */
        EMITTING,
        /** There is no bridge. */
        UNDONE,
        /** There is no bridge, and Postrider has taken over. */
        FINISHED
    }

    /** What a column means, and its type. */
    record Column(String name, String field, String type) {}

    /** A statement on the old table, the step that runs it, and the lock it takes there. */
    record Statement(Step step, String sql, String lock) {}

    /** How far an import is. */
    record Progress(long done, long total) {}

    /**
     * What was recognised.
     *
     * @param source {@code schema.table}: the header {@code adopted_from}
     * @param target {@code topic orders} or {@code queue mail}; null if none was given
     * @param type the type of all events; null if a column has it
     * @param ignored the columns that are not used
     * @param rows the rows of the table that are not taken over yet
     * @param unfinished those of them that the old system has not finished
     * @param bad those of all that cannot become an event
     * @param badExample the id of one of these and what is wrong; null if there is none
     */
    record Plan(
            String source,
            Shape shape,
            @Nullable String target,
            @Nullable String type,
            List<Column> columns,
            List<String> ignored,
            long rows,
            long unfinished,
            long bad,
            @Nullable String badExample,
            List<Statement> statements) {}

    /**
     * What a step did, or would do.
     *
     * @param state the state after the step
     * @param counts how many rows, by what was done with them
     * @param notes what to know or to do next, one line each
     */
    record Result(
            String source,
            Step step,
            State state,
            boolean dryRun,
            Map<String, Long> counts,
            List<Statement> statements,
            List<String> notes) {}

    /**
     * Both sides of an adoption.
     *
     * @param target {@code topic orders} or {@code queue mail}
     * @param importedAt when the import was complete; null if it is not
     * @param lastRowAt when the bridge has last seen a new row; null if never
     * @param rows rows in the old table; -1 if it does not exist any more
     * @param unfinished rows that the old system has not finished
     * @param notAdopted unfinished rows that Postrider does not have
     * @param bridged rows taken over by the trigger
     * @param skipped jobs that the old system had finished
     * @param held rows that wait for the import
     * @param rejected rows that cannot become an event
     * @param doneOnlyThere rows that the old system has finished and ours has not
     * @param doneOnlyHere rows that ours has finished and that are not marked in the old table
     * @param examples up to five ids for each difference, by its name
     */
    record Status(
            String source,
            State state,
            String target,
            boolean mirror,
            Instant bridgedAt,
            @Nullable Instant importedAt,
            @Nullable Instant lastRowAt,
            long rows,
            long unfinished,
            long notAdopted,
            long bridged,
            long imported,
            long skipped,
            long held,
            long rejected,
            long doneOnlyThere,
            long doneOnlyHere,
            Map<String, List<String>> examples) {
        /** Whether nothing is left to take over and both sides agree. */
        public boolean agrees() {
            return notAdopted <= 0 && held == 0 && rejected == 0 && doneOnlyThere <= 0 && doneOnlyHere <= 0;
        }
    }
}

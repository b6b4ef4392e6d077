package io.postrider.internal.adopt;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Adoptions.State;
import io.postrider.admin.Adoptions.Statement;
import io.postrider.admin.Adoptions.Step;
import io.postrider.internal.db.Row;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A row of {@code adoption}. */
record StoredAdoption(
        String source,
        State state,
        String topic,
        String spec,
        boolean jobs,
        Importing importing,
        Mirroring mirroring,
        Instant bridgedAt,
        @Nullable Instant lastRowAt) {
    private static final Sql ADOPTION = Sql.file("adopt/adoption");
    private static final Sql STATEMENTS = Sql.text(
            "adopt/statements", "select s.step, s.statement, s.lock from postrider.adopt_statements(:spec::jsonb) s");
    private static final Sql ATTACH =
            Sql.text("adopt/attach", "select postrider.adopt_attach(:spec::jsonb, :mode)::text as attached");
    private static final Sql MOVE =
            Sql.text("adopt/move", "update postrider.adoption a set state = :state where a.source = :source");

    /** The import: of which rows, and when it was complete. */
    record Importing(@Nullable String mode, @Nullable Instant at) {}

    /** The mirror: whether it is on, and which listener it follows. */
    record Mirroring(boolean on, @Nullable String listener) {}

    static Optional<StoredAdoption> find(Session session, String source) {
        return session.one(ADOPTION, bind -> bind.text("source", source), StoredAdoption::read);
    }

    private static StoredAdoption read(Row row) throws SQLException {
        return new StoredAdoption(
                row.text("source"),
                State.valueOf(row.text("state").toUpperCase(Locale.ROOT)),
                row.text("topic"),
                row.text("spec"),
                row.bool("jobs"),
                new Importing(row.textOrNull("import_mode"), row.instantOrNull("imported_at")),
                new Mirroring(row.bool("mirror"), row.textOrNull("mirror_listener")),
                row.instant("bridged_at"),
                row.instantOrNull("last_row_at"));
    }

    /** The adoption of a table by its name, which may have been dropped since. */
    static StoredAdoption of(Session session, String table) {
        TableName name = TableName.parse(table);
        String source = session.one(
                        Sql.text("adopt/source", "select format('%I.%I', :schema::text, :table::text) as source"),
                        bind -> bind.text("schema", name.schema()).text("table", name.table()),
                        row -> row.text("source"))
                .orElseThrow();
        return find(session, source)
                .orElseThrow(() -> new PostriderException(
                        Kind.NOT_FOUND, source + " is not adopted; begin with `postrider adopt bridge`"));
    }

    /** Refuses a step that the state does not allow. */
    StoredAdoption require(String step, State first, State... others) {
        EnumSet<State> allowed = EnumSet.of(first, others);
        if (!allowed.contains(state)) {
            throw new PostriderException(
                    Kind.CONFLICT,
                    source + " is " + text(state) + "; " + step + " needs it to be "
                            + allowed.stream().map(StoredAdoption::text).collect(Collectors.joining(" or ")));
        }
        return this;
    }

    static String text(State state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    String target() {
        return jobs ? "queue " + topic.substring("queue:".length()) : "topic " + topic;
    }

    List<Statement> statements(Session session, Step step) {
        return statements(session, spec).stream()
                .filter(one -> one.step() == step)
                .toList();
    }

    static List<Statement> statements(Session session, String spec) {
        return session.query(
                STATEMENTS,
                bind -> bind.text("spec", spec),
                row -> new Statement(
                        Step.valueOf(row.text("step").toUpperCase(Locale.ROOT)),
                        row.text("statement"),
                        row.text("lock")));
    }

    /** Replaces the trigger in the transaction that holds the table's lock, and records the state. */
    void become(Session session, State next) {
        attach(session, spec, next);
        session.update(MOVE, bind -> bind.text("source", source).text("state", text(next)));
    }

    static void attach(Session session, String spec, State next) {
        String mode = next == State.HOLDING ? "hold" : next == State.EMITTING ? "emit" : null;
        session.call(ATTACH, bind -> bind.text("spec", spec).text("mode", mode));
    }
}

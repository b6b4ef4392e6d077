package io.postrider.internal.schema;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether this version of Postrider works on a schema that a newer version has migrated, so that an application can be rolled back
 * while its schema stays. A migration file whose changes older versions can live with says so in a line {@code -- oldest: 16}: the
 * oldest version that works after it. Without this line only the version of the migration and newer ones do. The database keeps the
 * number, because an older version does not have the file.
 */
final class Compatibility {
    private static final Pattern OLDEST = Pattern.compile("(?m)^-- oldest: (\\d{1,6})$");

    /** The column {@code oldest} exists since this version. Earlier versions refuse every newer schema. */
    private static final int FIRST = 16;

    private static final Sql FLOOR = Sql.text(
            "schema/compatibility_floor",
            "select max(coalesce(m.oldest, m.version)) as oldest from postrider.migration m where m.version > :known");
    private static final Sql RECORD = Sql.text(
            "schema/record_oldest", "update postrider.migration m set oldest = :oldest where m.version = :version");

    private Compatibility() {}

    /** Refuses a schema that is newer than this version, unless every migration beyond it permits this version. */
    static void refuseNewer(Session session, int there, int known) {
        if (there <= known) {
            return;
        }
        int oldest = session.one(FLOOR, bind -> bind.int4("known", known), row -> row.int4("oldest"))
                .orElse(there);
        if (oldest > known) {
            throw new PostriderException(
                    Kind.CONFLICT,
                    "the schema has version " + there + ", this Postrider knows versions up to " + known
                            + ", and the oldest that works on this schema knows " + oldest
                            + "; upgrade Postrider. A schema cannot be taken back to an earlier version, except by"
                            + " restoring a backup");
        }
    }

    /** Records what a migration file says, once the migration is applied. */
    static void record(Session session, int version, String script) {
        Optional<Integer> oldest = oldest(script);
        if (version >= FIRST && oldest.isPresent()) {
            session.update(RECORD, bind -> bind.int4("version", version).int4("oldest", oldest.get()));
        }
    }

    /** The oldest version that works after a migration, as its file says. */
    static Optional<Integer> oldest(String script) {
        Matcher matcher = OLDEST.matcher(script);
        return matcher.find() ? Optional.of(Integer.valueOf(matcher.group(1))) : Optional.empty();
    }
}

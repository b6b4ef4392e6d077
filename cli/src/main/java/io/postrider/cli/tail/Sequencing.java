package io.postrider.cli.tail;

import io.postrider.PostriderException;
import io.postrider.db.Database;
import io.postrider.db.Sql;
import io.postrider.db.SqlState;
import java.util.Optional;
import java.util.function.Consumer;

/** Passes made by a command, so that what is committed has its position even where no node runs. */
public final class Sequencing {
    private static final Sql SEQUENCE = Sql.file("sequence/sequence");
    private static final int MOST = 20_000;

    private Sequencing() {}

    /**
     * Gives positions until nothing is left that was there when it began; whether the role may do that.
     *
     * @param say is told why not
     */
    public static boolean catchUp(Database database, Consumer<String> say) {
        try {
            boolean more = true;
            while (more) {
                // Not in a transaction with settings of its own: a pass needs READ COMMITTED, which this makes sure of.
                Optional<Boolean> passed = database.transaction(
                        session -> session.one(SEQUENCE, bind -> bind.int4("most", MOST), row -> row.bool("more")));
                more = passed.orElse(false);
            }
            return true;
        } catch (PostriderException e) {
            if (SqlState.of(e).equals("42501")) {
                say.accept("this role may not sequence; events appear as other nodes give them positions");
                return false;
            }
            throw e;
        }
    }
}

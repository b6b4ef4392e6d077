package io.postrider.bench;

import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.database.BenchServer;
import io.postrider.bench.measure.Deadline;
import io.postrider.bench.measure.Rounds;
import io.postrider.bench.measure.Samples;
import java.io.PrintStream;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;

/** The environment of a scenario: a server for its databases, the sizes, the deadline, and the output. */
public final class BenchContext {
    private final BenchServer server;
    private final Scale scale;
    private final Deadline deadline;
    private final PrintStream narration;
    private int rounds = Integer.MAX_VALUE;

    public BenchContext(BenchServer server, Scale scale, Deadline deadline, PrintStream narration) {
        this.server = server;
        this.scale = scale;
        this.deadline = deadline;
        this.narration = narration;
    }

    public BenchServer server() {
        return server;
    }

    public Scale scale() {
        return scale;
    }

    public Deadline deadline() {
        return deadline;
    }

    public void tell(String text) {
        narration.println(String.format(Locale.ROOT, "bench: %6.1f s  %s", deadline.elapsedSeconds(), text));
        narration.flush();
    }

    /** Requests a checkpoint before a turn, so that none pays for another's writes. A short run writes too little to need it. */
    public void checkpoint() throws SQLException {
        if (!scale.isShort()) {
            server.checkpoint();
        }
    }

    /** Drops it at the end of its scenario. A short run does so at its own end, since each drop is a checkpoint. */
    public void drop(BenchDatabase database) throws SQLException {
        if (!scale.isShort()) {
            server.drop(database);
        }
    }

    /** Runs rounds in which all variants take turns. */
    public <T> Samples<T> rounds(String what, Map<String, Rounds.Measure<T>> variants) throws Exception {
        Samples<T> samples = new Rounds(this, what).interleave(variants);
        rounds = Math.min(rounds, samples.rounds());
        return samples;
    }

    /** The minimum number of rounds for a median in this scenario. */
    int fewestRounds() {
        return rounds;
    }
}

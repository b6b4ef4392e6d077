package io.postrider.bench;

import java.io.PrintStream;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;

/** What a scenario is given: a server to make databases on, how much to do and until when, and whom to tell. */
public final class Bench {
    private final BenchServer server;
    private final Scale scale;
    private final Deadline deadline;
    private final PrintStream narration;
    private int rounds = Integer.MAX_VALUE;

    Bench(BenchServer server, Scale scale, Deadline deadline, PrintStream narration) {
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

    Deadline deadline() {
        return deadline;
    }

    public void tell(String text) {
        narration.println(String.format(Locale.ROOT, "bench: %6.1f s  %s", deadline.elapsedSeconds(), text));
        narration.flush();
    }

    /** Before a turn, so that none pays for what another wrote. A short run writes too little for one to strike. */
    public void checkpoint() throws SQLException {
        if (!scale.isShort()) {
            server.checkpoint();
        }
    }

    /** When its scenario is over. A short run leaves that to its end: each drop is a checkpoint. */
    public void drop(BenchDatabase database) throws SQLException {
        if (!scale.isShort()) {
            server.drop(database);
        }
    }

    /** Rounds of all variants in turn. */
    public <T> Samples<T> rounds(String what, Map<String, Rounds.Measure<T>> variants) throws Exception {
        Samples<T> samples = new Rounds(this, what).interleave(variants);
        rounds = Math.min(rounds, samples.rounds());
        return samples;
    }

    /** The fewest that a figure of this scenario is the median of. */
    int fewestRounds() {
        return rounds;
    }
}

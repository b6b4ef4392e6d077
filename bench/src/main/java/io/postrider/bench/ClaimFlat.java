package io.postrider.bench;

import io.postrider.Fate;
import io.postrider.db.Database;
import io.postrider.db.SchemaName;
import io.postrider.verify.Proof;
import io.postrider.verify.Verifier;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Whether a claim costs more when many jobs wait for their time and many more are done. */
final class ClaimFlat implements Scenario {
    private static final Goal FLAT = Goal.atMost(1.2, "empty system");
    private static final int SLOTS = 64;

    /** Median times in microseconds. */
    private record Turn(double claim, double nothingDue) {}

    @Override
    public String name() {
        return "claim_flat";
    }

    @Override
    public String conditions(Scale scale) {
        return "median time of a claim of " + ClaimDesk.JOBS + " jobs, which waits for no flush, with "
                + scale.jobs().scheduled() + " jobs that are due tomorrow and "
                + scale.jobs().done()
                + " that are done and retained, all of them gone through a node; against a system that has only what"
                + " the rounds leave. nothing_due: the same for the claim of jobs that go by themselves when none is"
                + " due, which a worker asks for when it believes that one is";
    }

    @Override
    public double shortUntil() {
        return 58;
    }

    @Override
    public List<Figure> run(Bench bench) throws Exception {
        Scale.Jobs scale = bench.scale().jobs();
        Map<String, BenchDatabase> databases = new LinkedHashMap<>();
        databases.put("empty", fill(bench, "claim_empty", 0, 0));
        databases.put("full", fill(bench, "claim_full", scale.scheduled(), scale.done()));
        bench.checkpoint();
        List<Figure> figures = new ArrayList<>();
        try (ClaimDesk empty = new ClaimDesk(Sides.of(databases, "empty"));
                ClaimDesk full = new ClaimDesk(Sides.of(databases, "full"))) {
            Map<String, Rounds.Measure<Turn>> variants = new LinkedHashMap<>();
            variants.put("empty", () -> turn(bench, empty));
            variants.put("full", () -> turn(bench, full));
            figures.addAll(figures(bench.rounds(name(), variants)));
            figures.addAll(pages("claim_flat.empty", empty));
            figures.addAll(pages("claim_flat.full", full));
        }
        for (Map.Entry<String, BenchDatabase> database : databases.entrySet()) {
            figures.addAll(counted(bench, "claim_flat." + database.getKey(), database.getValue()));
            bench.drop(database.getValue());
        }
        return figures;
    }

    private static List<Figure> figures(Samples<Turn> samples) {
        return List.of(
                Figure.of(
                        "claim_flat.claim",
                        samples.median("full", Turn::claim),
                        "us",
                        samples.ratio("full", "empty", Turn::claim),
                        FLAT),
                Figure.of("claim_flat.nothing_due", samples.median("full", Turn::nothingDue), "us")
                        .withRatio(samples.ratio("full", "empty", Turn::nothingDue)));
    }

    /** A node does all of it, so that claims, settlements and jobs put aside are as a node leaves them. */
    private static BenchDatabase fill(Bench bench, String name, int scheduled, int done) throws Exception {
        BenchDatabase database = bench.server().create(name);
        PostriderJobs.install(database);
        bench.tell(name + ": " + scheduled + " jobs to be put aside, " + done + " to be done");
        try (Connection connection = database.connect("bench-install");
                WorkingNode node = new WorkingNode(database, SLOTS, job -> Fate.done())) {
            PostriderLog.fill(connection, PostriderJobs.LANE, PostriderJobs.TYPE, done, bench);
            PostriderJobs.scheduleMany(connection, scheduled);
            PostriderLog.sequence(connection);
            node.start();
            node.awaitDone(done);
            node.awaitSettled("aside", scheduled);
        }
        try (Connection connection = database.connect("bench-install")) {
            Sqls.execute(connection, "vacuum (analyze)"); // or autovacuum would do it in the middle of a round
        }
        requireSound(database);
        bench.tell(name + ": is there, and sound");
        return database;
    }

    private static void requireSound(BenchDatabase database) {
        Database filled = new Database(database.direct("bench-look"), SchemaName.of(PostriderLog.SCHEMA));
        for (Proof proof : new Verifier(filled).verify(step -> {})) {
            if (!proof.holds()) {
                throw new IllegalStateException("not as a node leaves it: " + proof);
            }
        }
    }

    private static Turn turn(Bench bench, ClaimDesk desk) throws SQLException {
        double[] claims = new double[bench.scale().looks()];
        double[] nothingDue = new double[claims.length];
        for (int i = 0; i < claims.length; i++) {
            claims[i] = desk.claim();
            nothingDue[i] = desk.claimNothingDue();
        }
        return new Turn(Samples.median(claims), Samples.median(nothingDue));
    }

    private static List<Figure> pages(String prefix, ClaimDesk desk) throws SQLException {
        return List.of(
                Figure.of(prefix + ".claim.buffers", (double) desk.pagesOfClaim(), "pages"),
                Figure.of(prefix + ".nothing_due.buffers", (double) desk.pagesOfNothingDue(), "pages"));
    }

    /** The same once more in sessions of its own: what it all costs, from the producer to the settlement. */
    private static List<Figure> counted(Bench bench, String prefix, BenchDatabase database) throws SQLException {
        Counters before = Counters.read(database, PostriderLog.SCHEMA);
        try (ClaimDesk desk = new ClaimDesk(database)) {
            turn(bench, desk);
        }
        long jobs = (long) bench.scale().looks() * ClaimDesk.JOBS;
        return Counters.read(database, PostriderLog.SCHEMA).since(before).perOne(prefix, "job", jobs);
    }
}

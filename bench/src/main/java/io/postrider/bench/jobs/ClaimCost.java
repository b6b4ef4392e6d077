package io.postrider.bench.jobs;

import io.postrider.Fate;
import io.postrider.admin.VerifyResult;
import io.postrider.bench.BenchContext;
import io.postrider.bench.Scale;
import io.postrider.bench.Scenario;
import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.database.Statements;
import io.postrider.bench.load.PostriderLog;
import io.postrider.bench.load.Sides;
import io.postrider.bench.measure.Rounds;
import io.postrider.bench.measure.Samples;
import io.postrider.bench.measure.ServerCounters;
import io.postrider.bench.report.Figure;
import io.postrider.bench.report.Goal;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.SchemaName;
import io.postrider.internal.verify.JdbcVerifier;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Whether a claim costs more when many jobs are scheduled for later and many more are done. */
public final class ClaimCost implements Scenario {
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
        return "median time of a claim of " + ClaimSessions.JOBS + " jobs, which waits for no flush, with "
                + scale.jobs().scheduled() + " jobs that are due tomorrow and "
                + scale.jobs().done()
                + " that are done and retained, all of them gone through a node; against a system that has only what"
                + " the rounds leave. nothing_due: the same for the claim of delayed jobs when none is"
                + " due, which a worker asks for when it believes that one is";
    }

    @Override
    public double shortUntil() {
        return 58;
    }

    @Override
    public List<Figure> run(BenchContext bench) throws Exception {
        Scale.Jobs scale = bench.scale().jobs();
        Map<String, BenchDatabase> databases = new LinkedHashMap<>();
        databases.put("empty", fill(bench, "claim_empty", 0, 0));
        databases.put("full", fill(bench, "claim_full", scale.scheduled(), scale.done()));
        bench.checkpoint();
        List<Figure> figures = new ArrayList<>();
        try (ClaimSessions empty = new ClaimSessions(Sides.of(databases, "empty"));
                ClaimSessions full = new ClaimSessions(Sides.of(databases, "full"))) {
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

    /** Run by a node, so that claims, settlements and deferred jobs are as a node leaves them. */
    private static BenchDatabase fill(BenchContext bench, String name, int scheduled, int done) throws Exception {
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
            Statements.execute(connection, "vacuum (analyze)"); // or autovacuum would run in the middle of a round
        }
        requireSound(database);
        bench.tell(name + ": is there, and sound");
        return database;
    }

    private static void requireSound(BenchDatabase database) {
        Database filled = new Database(database.direct("bench-look"), SchemaName.of(PostriderLog.SCHEMA));
        for (VerifyResult proof : new JdbcVerifier(filled).verify(step -> {})) {
            if (!proof.holds()) {
                throw new IllegalStateException("not as a node leaves it: " + proof);
            }
        }
    }

    private static Turn turn(BenchContext bench, ClaimSessions desk) throws SQLException {
        double[] claims = new double[bench.scale().looks()];
        double[] nothingDue = new double[claims.length];
        for (int i = 0; i < claims.length; i++) {
            claims[i] = desk.claim();
            nothingDue[i] = desk.claimNothingDue();
        }
        return new Turn(Samples.median(claims), Samples.median(nothingDue));
    }

    private static List<Figure> pages(String prefix, ClaimSessions desk) throws SQLException {
        return List.of(
                Figure.of(prefix + ".claim.buffers", (double) desk.pagesOfClaim(), "pages"),
                Figure.of(prefix + ".nothing_due.buffers", (double) desk.pagesOfNothingDue(), "pages"));
    }

    /** The same again in separate sessions: the total cost from the producer to the settlement. */
    private static List<Figure> counted(BenchContext bench, String prefix, BenchDatabase database) throws SQLException {
        ServerCounters before = ServerCounters.read(database, PostriderLog.SCHEMA);
        try (ClaimSessions desk = new ClaimSessions(database)) {
            turn(bench, desk);
        }
        long jobs = (long) bench.scale().looks() * ClaimSessions.JOBS;
        return ServerCounters.read(database, PostriderLog.SCHEMA).since(before).perOne(prefix, "job", jobs);
    }
}

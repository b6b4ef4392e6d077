package io.postrider.bench;

import io.postrider.PostriderException;
import io.postrider.embedded.EmbeddedPostgresException;
import java.io.PrintStream;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** {@code bench log}, {@code bench jobs} and {@code bench realtime}: measures and says which goals are met. */
public final class BenchCommand {
    private static final int OK = 0;
    private static final int FAILURE = 1;
    private static final int USAGE = 2;
    private static final int UNREACHABLE = 5;

    /** With less time left than this a scenario of a short run is not begun. */
    private static final long LEAST_NANOS = 4_000_000_000L;

    /** Of this module, by the word behind {@code bench}. */
    private static final Map<String, List<Scenario>> OWN = Map.of(
            "log",
            List.of(new Producers(), CommitToHandler.ofEvents(), new HeldOpen(), new Drain(), new FlatCost()),
            "jobs",
            List.of(new BurnDown(), new Steady(), CommitToHandler.ofJobs(), new ClaimFlat()));

    /** For the usage, which is told wherever that suite itself is not on the class path. */
    private static final List<String> REALTIME = List.of("commit_to_client", "fan_out", "kafka_relay");

    private BenchCommand() {}

    /**
     * Runs it. Missed goals are no failure: they are in the report.
     *
     * @param args what stands behind {@code bench} on the command line
     * @param out for the data: the table, or with {@code --json} one object
     * @param err for the narration, and with {@code --json} the table
     * @return the exit code
     */
    public static int run(String[] args, PrintStream out, PrintStream err) {
        return run(args, null, out, err);
    }

    /** The same at a given scale; null: what the options say. */
    public static int run(String[] args, @Nullable Scale given, PrintStream out, PrintStream err) {
        List<Scenario> suite = suite(args.length == 0 ? "" : args[0]);
        BenchOptions options;
        try {
            options = BenchOptions.parse(args, names(suite));
        } catch (BenchOptions.UsageException e) {
            err.println("postrider: " + e.getMessage());
            err.println(usage());
            return USAGE;
        }
        Scale scale = given != null ? given : options.brief() ? Scale.brief() : Scale.full();
        Integer rounds = options.rounds();
        Scale sized = rounds == null ? scale : scale.withRounds(rounds);
        Deadline none = Deadline.none();
        try (BenchServer server = BenchServer.open(options.databaseUrl())) {
            Report report = measure(suite, options, server, sized, none, err);
            new Table(report).print(options.json() ? err : out);
            if (options.json()) {
                out.println(new JsonReport(report).text());
            }
            return OK;
        } catch (EmbeddedPostgresException | SQLException e) {
            err.println("postrider: bench: " + e.getMessage());
            return options.databaseUrl() == null ? FAILURE : UNREACHABLE;
        } catch (PostriderException | IllegalStateException e) {
            err.println("postrider: bench: " + e.getMessage());
            return FAILURE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return FAILURE;
        } catch (Exception e) {
            e.printStackTrace(err);
            return FAILURE;
        }
    }

    /** Empty if there is none of that name. */
    private static List<Scenario> suite(String name) {
        List<Scenario> own = OWN.get(name);
        if (own != null) {
            return own;
        }
        for (Suite other : ServiceLoader.load(Suite.class)) {
            if (other.name().equals(name)) {
                return other.scenarios();
            }
        }
        return List.of();
    }

    private static List<String> names(List<Scenario> suite) {
        return suite.stream().map(Scenario::name).toList();
    }

    private static String usage() {
        return String.format(
                BenchOptions.USAGE,
                String.join(", ", names(suite("log"))),
                String.join(", ", names(suite("jobs"))),
                String.join(", ", REALTIME));
    }

    private static Report measure(
            List<Scenario> suite, BenchOptions options, BenchServer server, Scale scale, Deadline none, PrintStream err)
            throws Exception {
        List<Report.Part> parts = new ArrayList<>();
        for (Scenario scenario : suite) {
            if (options.only() == null || options.only().equals(scenario.name())) {
                Deadline until = options.brief() && options.only() == null ? none.at(scenario.shortUntil()) : none;
                Bench bench = new Bench(server, scale, until, err);
                if (!until.leaves(LEAST_NANOS)) {
                    bench.tell(scenario.name() + ": left out, no time; this machine is busy or slow");
                    continue;
                }
                List<Figure> figures = scenario.run(bench);
                parts.add(new Report.Part(
                        scenario.name(), scenario.conditions(scale), bench.fewestRounds(), List.copyOf(figures)));
            }
        }
        return new Report(options.suite(), scale, server.describe(), parts);
    }
}

package io.postrider.bench;

import io.postrider.PostriderException;
import io.postrider.bench.alternatives.OutboxReaders;
import io.postrider.bench.database.BenchServer;
import io.postrider.bench.jobs.ClaimCost;
import io.postrider.bench.jobs.JobBacklog;
import io.postrider.bench.jobs.SteadyJobs;
import io.postrider.bench.log.BacklogDrain;
import io.postrider.bench.log.CommitToHandler;
import io.postrider.bench.log.OpenTransaction;
import io.postrider.bench.log.ProducerThroughput;
import io.postrider.bench.log.RetentionCost;
import io.postrider.bench.measure.Deadline;
import io.postrider.bench.report.Figure;
import io.postrider.bench.report.JsonReport;
import io.postrider.bench.report.Report;
import io.postrider.bench.report.TableReport;
import io.postrider.embedded.EmbeddedPostgresException;
import java.io.PrintStream;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** {@code bench log}, {@code jobs}, {@code realtime} and {@code alternatives}: measures and reports which goals are met. */
public final class BenchCommand {
    private static final int OK = 0;
    private static final int FAILURE = 1;
    private static final int USAGE = 2;
    private static final int UNREACHABLE = 5;

    /** A short run does not begin a scenario with less time left than this. */
    private static final long LEAST_NANOS = 4_000_000_000L;

    /** The suites of this module, by the word after {@code bench}. */
    private static final Map<String, List<Scenario>> OWN = Map.of(
            "log",
            List.of(
                    new ProducerThroughput(),
                    CommitToHandler.ofEvents(),
                    new OpenTransaction(),
                    new BacklogDrain(),
                    new RetentionCost()),
            "jobs",
            List.of(new JobBacklog(), new SteadyJobs(), CommitToHandler.ofJobs(), new ClaimCost()),
            "alternatives",
            List.of(new OutboxReaders()));

    /** Settings of the benchmark's own server that only one suite needs, because they cost something. */
    private static final Map<String, Map<String, String>> SETTINGS =
            Map.of("alternatives", Map.of("track_commit_timestamp", "on"));

    /** For the usage text, which lists that suite even if it is not on the class path. */
    private static final List<String> REALTIME = List.of("commit_to_client", "fan_out", "kafka_relay");

    private BenchCommand() {}

    /**
     * Runs it. Missed goals are not an error: they are in the report.
     *
     * @param args the arguments after {@code bench} on the command line
     * @param out the result: the table, or with {@code --json} one object
     * @param err progress messages, and with {@code --json} the table
     * @return the exit code
     */
    public static int run(String[] args, PrintStream out, PrintStream err) {
        return run(args, null, out, err);
    }

    /** The same at a given scale; null to use the options. */
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
        try (BenchServer server =
                BenchServer.open(options.databaseUrl(), SETTINGS.getOrDefault(options.suite(), Map.of()))) {
            Report report = measure(suite, options, server, sized, none, err);
            new TableReport(report).print(options.json() ? err : out);
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

    /** Empty if there is no suite of that name. */
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
                BenchContext bench = new BenchContext(server, scale, until, err);
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

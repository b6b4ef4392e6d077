package io.postrider.bench.measure;

import io.postrider.bench.BenchContext;
import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The CPU time used by each group of processes: the limit of a rate on a machine that clients, server and node share. Returns
 * nothing without /proc or if the server is on another machine.
 */
public final class CpuUsage {
    private static final double TICKS_PER_SECOND = 100;
    private static final String OTHERS = "whatever else runs on this machine";
    private static final String BACKENDS =
            "select a.pid, coalesce(nullif(a.application_name, ''), a.backend_type) from pg_stat_activity a";

    private final BenchContext bench;
    private final BenchDatabase database;
    private final Map<String, Long> processes = new LinkedHashMap<>();

    public CpuUsage(BenchContext bench, BenchDatabase database) {
        this.bench = bench;
        this.database = database;
        processes.put("bench JVM", ProcessHandle.current().pid());
    }

    public CpuUsage with(String name, ChildProcess child) {
        processes.put(name, child.pid());
        return this;
    }

    /** CPU ticks so far, by group. */
    public record Reading(long at, long busy, Map<String, Map<Long, Long>> ticks) {
        /** Cores used since, by group; groups that used almost none are left out. */
        public Map<String, Double> cores(Reading before) {
            Map<String, Double> cores = new TreeMap<>();
            double seconds = (at - before.at) / 1e9;
            ticks.forEach((group, now) -> {
                Map<Long, Long> then = before.ticks.getOrDefault(group, Map.of());
                long used = 0;
                for (Map.Entry<Long, Long> process : now.entrySet()) {
                    used += process.getValue() - then.getOrDefault(process.getKey(), 0L);
                }
                double part = used / TICKS_PER_SECOND / seconds;
                if (part >= 0.01) {
                    cores.put(group, part);
                }
            });
            if (!ticks.isEmpty()) {
                double ours =
                        cores.values().stream().mapToDouble(Double::doubleValue).sum();
                double all = (busy - before.busy) / TICKS_PER_SECOND / seconds;
                cores.put(OTHERS, Math.max(0, all - ours));
            }
            return cores;
        }
    }

    public Reading read() throws SQLException {
        Map<String, Map<Long, Long>> ticks = new TreeMap<>();
        if (bench.server().isLocal()) {
            processes.forEach((name, pid) -> put(ticks, name, pid));
            try (Connection connection = database.connect("bench-cpu");
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(BACKENDS)) {
                while (rows.next()) {
                    put(ticks, "postgres " + rows.getString(2), rows.getLong(1));
                }
            }
        }
        return new Reading(System.nanoTime(), ticks.isEmpty() ? 0 : busy(), ticks);
    }

    /** Cores used by the measured processes: the clients, the server, the consumer. */
    public static double ours(Map<String, Double> cores) {
        double ours = 0;
        for (Map.Entry<String, Double> group : cores.entrySet()) {
            ours += group.getKey().equals(OTHERS) ? 0 : group.getValue();
        }
        return ours;
    }

    public static String text(Map<String, Double> cores) {
        StringBuilder text = new StringBuilder();
        cores.forEach((group, part) -> text.append(text.length() == 0 ? "cores used: " : ", ")
                .append(group)
                .append(' ')
                .append(String.format(Locale.ROOT, "%.2f", part)));
        return text.toString();
    }

    /** The total of the machine, without idle time. */
    private static long busy() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
            String[] fields = lines.findFirst().orElse("").split("\\s+", -1);
            long busy = 0;
            for (int i = 1; i < Math.min(fields.length, 9); i++) {
                busy += i == 4 || i == 5 ? 0 : Long.parseLong(fields[i]);
            }
            return busy;
        } catch (IOException e) {
            return 0;
        }
    }

    private static void put(Map<String, Map<Long, Long>> ticks, String group, long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            long used = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
            ticks.computeIfAbsent(group, g -> new TreeMap<>()).put(pid, used);
        } catch (IOException e) {
            // ended in the meantime, or not Linux
        }
    }
}

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs the proofs with their full counts: {@code ./postrider prove [NAME...] [--list] [--seed N] [--json]}. A proof is a test
 * class that has a full count (TestRun.count, TestRun.proves), enumerates schedules (Protocols) or is tagged "prove"; a usual test
 * run takes a small sample of it.
 *
 * <p>Run from source by ./postrider: {@code java .ci/Prove.java …}, in the root of the repository.
 */
final class Prove {
    private static final Path LOG = Path.of("target", "prove.log");
    private static final Pattern IS_PROOF = Pattern.compile("TestRun\\.(count|proves)\\(|@Tag\\(\"prove\"\\)|\\bProtocols\\b");
    private static final Pattern COUNT = Pattern.compile("(?:(\\w+) = )?TestRun\\.count\\(\\s*[\\d_]+,\\s*([\\d_]+)\\)");
    private static final Pattern RUNNING = Pattern.compile("Running (io\\.postrider\\.[\\w.]+)");
    private static final Pattern RESULT = Pattern.compile("Tests run: (\\d+), Failures: (\\d+), Errors: (\\d+), Skipped: (\\d+),"
            + " Time elapsed: ([\\d.,]+) s.* in (io\\.postrider\\.[\\w.]+)");

    private final List<String> names = new ArrayList<>();
    private boolean list;
    private boolean json;
    private Optional<Long> seed = Optional.empty();

    public static void main(String[] args) throws Exception {
        System.exit(new Prove().run(args));
    }

    private int run(String[] args) throws IOException, InterruptedException {
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--list" -> list = true;
                case "--json" -> json = true;
                case "--seed" -> {
                    String given = i + 1 < args.length ? args[++i] : "";
                    if (!given.matches("\\d{1,18}")) {
                        return usage("--seed must be a number, was '" + given + "'");
                    }
                    seed = Optional.of(Long.parseLong(given));
                }
                default -> {
                    if (args[i].startsWith("-")) {
                        return usage("unknown option '" + args[i] + "'; there are --list, --seed and --json");
                    }
                    names.add(args[i]);
                }
            }
        }
        Map<String, Proof> all = proofs();
        for (String name : names) {
            if (!all.containsKey(name)) {
                return usage("unknown proof '" + name + "'; there are " + String.join(", ", all.keySet()));
            }
        }
        List<Proof> chosen = names.isEmpty()
                ? List.copyOf(all.values())
                : names.stream().distinct().map(all::get).toList();
        if (list) {
            chosen.forEach(proof -> System.out.println(json ? proof.json("") : proof.line("")));
            return 0;
        }
        return prove(chosen) ? 0 : 1;
    }

    private static int usage(String error) {
        System.err.println("postrider: " + error);
        return 2;
    }

    /** Runs Maven once for all proofs; a line is printed when one of them ends. */
    private boolean prove(List<Proof> chosen) throws IOException, InterruptedException {
        Files.createDirectories(LOG.getParent());
        Process maven = new ProcessBuilder(command(chosen)).redirectErrorStream(true).start();
        Map<String, Proof> byClass = chosen.stream().collect(Collectors.toMap(proof -> proof.type, proof -> proof));
        Map<Proof, Boolean> ended = new LinkedHashMap<>();
        try (BufferedReader lines =
                        new BufferedReader(new InputStreamReader(maven.getInputStream(), StandardCharsets.UTF_8));
                java.io.PrintWriter log = new java.io.PrintWriter(Files.newBufferedWriter(LOG))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                log.println(line);
                log.flush();
                follow(line, byClass, ended);
            }
        }
        boolean built = maven.waitFor() == 0;
        for (Proof proof : chosen) {
            if (!ended.containsKey(proof)) {
                print(proof, "no result, see " + LOG, 0);
            }
        }
        long passed = ended.values().stream().filter(ok -> ok).count();
        System.err.printf("postrider: %d of %d proofs passed; the output is in %s%n", passed, chosen.size(), LOG);
        return built && passed == chosen.size();
    }

    private void follow(String line, Map<String, Proof> byClass, Map<Proof, Boolean> ended) {
        Matcher running = RUNNING.matcher(line);
        if (running.find() && byClass.containsKey(running.group(1))) {
            System.err.println("postrider: proving " + byClass.get(running.group(1)).name);
        }
        Matcher result = RESULT.matcher(line);
        if (result.find() && byClass.containsKey(result.group(6))) {
            boolean failed = !result.group(2).equals("0") || !result.group(3).equals("0");
            boolean skipped = result.group(1).equals(result.group(4));
            Proof proof = byClass.get(result.group(6));
            ended.put(proof, !failed && !skipped);
            print(
                    proof,
                    failed ? "failed" : skipped ? "skipped" : "passed",
                    Double.parseDouble(result.group(5).replace(",", "")));
        }
    }

    private void print(Proof proof, String result, double seconds) {
        System.out.println(
                json
                        ? proof.json(String.format(
                                Locale.ROOT, ",\"result\":\"%s\",\"seconds\":%.1f", result, seconds))
                        : proof.line(String.format(Locale.ROOT, "%8.1f s  %s", seconds, result)));
    }

    private List<String> command(List<Proof> chosen) {
        List<String> command = new ArrayList<>(List.of(
                "mvn", "-B", "-ntp", "-fae", "-Dstyle.color=never", "-Dpostrider.unchecked", "-Dpostrider.test.prove=true",
                "-Dpostrider.test.timeout=60m", "-Dpostrider.test.forks=1", "-Dpostrider.test.argLine=-Xmx1g",
                "-Dpostrider.test.reports=surefire-reports-prove", "-Dsurefire.failIfNoSpecifiedTests=false",
                "-Dmaven.test.failure.ignore=true"));
        command.add("-Dtest=" + chosen.stream().map(proof -> proof.type).collect(Collectors.joining(",")));
        seed.ifPresent(number -> command.add("-Dpostrider.test.seed=" + number));
        command.addAll(List.of(
                "-pl",
                String.join(",", new TreeSet<>(chosen.stream().map(proof -> proof.module).toList())),
                "-am",
                "test"));
        return command;
    }

    private static Map<String, Proof> proofs() throws IOException {
        Map<String, Proof> proofs = new LinkedHashMap<>();
        for (String module : List.of("proof", "core")) {
            Path sources = Path.of(module, "src", "test", "java");
            try (Stream<Path> files = Files.walk(sources)) {
                for (Path file : files.filter(path -> path.toString().endsWith("Test.java")).sorted().toList()) {
                    String source = Files.readString(file);
                    if (IS_PROOF.matcher(source).find()) {
                        Proof proof = Proof.of(module, sources.relativize(file), source);
                        proofs.put(proof.name, proof);
                    }
                }
            }
        }
        return proofs;
    }

    /** @param counts the full counts, as in "200 kills, 50 freezes" */
    private record Proof(String name, String module, String type, String counts) {
        static Proof of(String module, Path file, String source) {
            String type = file.toString().replaceAll("\\.java$", "").replace('/', '.');
            String counts = COUNT.matcher(source).results()
                    .map(found -> found.group(2).replace('_', ',') + " " + nameOf(found.group(1)))
                    .collect(Collectors.joining(", "));
            String name = type.replaceAll("^.*\\.|Test$", "");
            return new Proof(name, module, type, !counts.isEmpty() ? counts
                    : source.contains("Protocols") ? "every schedule" : "a measurement");
        }

        /** A count without a constant of its own has no name. */
        private static String nameOf(String constant) {
            return constant != null && constant.matches("[A-Z_]+") ? constant.toLowerCase(Locale.ROOT) : "repetitions";
        }

        String line(String end) {
            return String.format("%-24s%-40s%s", name, counts, end).stripTrailing();
        }

        String json(String more) {
            return "{\"name\":\"" + name + "\",\"counts\":\"" + counts + "\"" + more + "}";
        }
    }
}

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Evaluates a test run by Surefire's reports and by Maven's log. Maven continues after every failure (-fn), so its exit
 * code says nothing; a crashed or hanging test JVM leaves no report.
 *
 * <p>Run from source by ./test: {@code java .ci/Report.java [option…]}, in the root of the repository.
 *
 * <pre>
 * --phase 'DIR [only=TAGS] [without=TAGS] [in=MODULES]'
 *                  A test run whose reports are in target/DIR of each module. Every *Test.java whose class has none
 *                  of the tags in "without" must have a report there; with "only", every one that mentions such a tag,
 *                  and for a&b both of them.
 * --unchecked      Do not require a report of every class: the tests were selected by name.
 * --maven-log FILE Maven's output: names modules that did not build and test JVMs that crashed.
 * --not-built      Maven exited with an error, which means that the build failed.
 * --no-skips       Count a skipped test as a failure.
 * --seconds N      Duration of the run.
 * </pre>
 */
final class Report {
    private static final int SLOWEST = 30;

    /** A class without the tag "slow" should be faster: `./test quick` has three minutes for all of them. */
    private static final double QUICK_SECONDS = 6;

    private static final Pattern CLASS_TAG = Pattern.compile("(?m)^@Tag\\(\"([^\"]+)\"\\)");
    private static final Pattern ANY_TAG = Pattern.compile("(?m)@Tag\\(\"([^\"]+)\"\\)");
    private static final Pattern BUILD_TROUBLE = Pattern.compile(
            "^\\[ERROR\\] (ExecutionException )?The forked VM terminated|There was a timeout|COMPILATION ERROR"
                    + "|Build failures were ignored|\\. (FAILURE|SKIPPED)( \\[.*)?$");

    private final List<Phase> phases = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private final List<String> absent = new ArrayList<>();
    private final List<String> trouble = new ArrayList<>();
    private boolean checked = true;
    private boolean skipsFail;
    private long seconds;
    private int tests;
    private int failed;
    private int skipped;

    public static void main(String[] args) throws IOException {
        System.exit(new Report().run(args) ? 0 : 1);
    }

    private boolean run(String[] args) throws IOException {
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--phase" -> phases.add(Phase.parse(args[++i]));
                case "--unchecked" -> checked = false;
                case "--not-built" -> trouble.add("Maven: see target/test.log");
                case "--no-skips" -> skipsFail = true;
                case "--seconds" -> seconds = Long.parseLong(args[++i]);
                case "--maven-log" -> readLog(Path.of(args[++i]));
                default -> throw new IllegalArgumentException("unknown option " + args[i]);
            }
        }
        List<Path> modules = modules();
        for (Phase phase : phases) {
            judge(phase, modules);
        }
        print("Did not build, or crashed:", trouble);
        print("No report although there are tests (crashed, hung or not run):", absent);
        print("Failed tests:", failures);
        boolean tooManySkipped = skipsFail && skipped > 0;
        if (tooManySkipped) {
            System.out.println("CI=true: " + skipped + " tests were skipped, which is a failure");
        }
        System.out.printf("took: %d min %02d s%n", seconds / 60, seconds % 60);
        System.out.printf("tests: %d passed, %d failed, %d skipped%n", tests - failed - skipped, failed, skipped);
        return trouble.isEmpty() && absent.isEmpty() && failed == 0 && tests > skipped && !tooManySkipped;
    }

    private void readLog(Path log) throws IOException {
        try (Stream<String> lines = Files.lines(log, java.nio.charset.StandardCharsets.ISO_8859_1)) {
            lines.map(line -> line.replaceAll("\u001b\\[[0-9;]*m", ""))
                    .filter(line -> line.startsWith("[") && BUILD_TROUBLE.matcher(line).find())
                    .distinct()
                    .forEach(trouble::add);
        }
    }

    private void judge(Phase phase, List<Path> modules) throws IOException {
        List<Suite> suites = new ArrayList<>();
        for (Path module : modules) {
            Path reports = module.resolve("target").resolve(phase.directory);
            for (Path file : files(reports, "TEST-", ".xml")) {
                suites.add(Suite.read(module, file));
            }
            if (checked && phase.includes(module)) {
                lookForAbsent(phase, module, suites);
            }
        }
        for (Suite suite : suites) {
            tests += suite.tests;
            failed += suite.failed;
            skipped += suite.skipped;
            suite.failures.forEach(name -> failures.add(name + " (" + suite.module + ", " + phase.directory + ")"));
        }
        printSlowest(phase, suites);
        if (phase.without.contains("slow")) {
            warnOfSlow(suites);
        }
    }

    private static void warnOfSlow(List<Suite> suites) {
        List<String> slow = suites.stream()
                .filter(suite -> suite.seconds > QUICK_SECONDS)
                .sorted(Comparator.comparingDouble((Suite suite) -> -suite.seconds))
                .map(suite -> String.format(
                        Locale.ROOT, "%.1f s  %s  %s", suite.seconds, suite.module, suite.simpleName()))
                .toList();
        print(
                String.format(
                        Locale.ROOT,
                        "warning: over %.0f s in the quick run; tag the slow tests of these classes \"slow\", or make them faster:",
                        QUICK_SECONDS),
                slow);
    }

    private void lookForAbsent(Phase phase, Path module, List<Suite> suites) throws IOException {
        TreeSet<String> reported = suites.stream()
                .filter(suite -> suite.module.equals(module) && suite.tests > 0)
                .map(suite -> suite.name)
                .collect(Collectors.toCollection(TreeSet::new));
        Path sources = module.resolve("src/test/java");
        for (Path source : files(sources, "", "Test.java")) {
            String text = Files.readString(source);
            if (phase.wants(tags(CLASS_TAG, text), tags(ANY_TAG, text))) {
                String name = sources.relativize(source).toString().replace('/', '.').replaceAll("\\.java$", "");
                if (reported.stream().noneMatch(one -> one.equals(name) || one.startsWith(name + "$"))) {
                    absent.add(name + " (" + module + ", " + phase.directory + ")");
                }
            }
        }
    }

    private static List<String> tags(Pattern pattern, String source) {
        return pattern.matcher(source).results().map(tag -> tag.group(1)).toList();
    }

    private static void printSlowest(Phase phase, List<Suite> suites) {
        if (suites.isEmpty()) {
            return;
        }
        double all = suites.stream().mapToDouble(suite -> suite.seconds).sum();
        System.out.printf(
                Locale.ROOT, "%n%s: %d classes, %.0f s in total. The slowest:%n", phase.directory, suites.size(), all);
        suites.stream()
                .sorted(Comparator.comparingDouble((Suite suite) -> -suite.seconds))
                .limit(SLOWEST)
                .forEach(suite -> System.out.printf(
                        Locale.ROOT, "%8.1f s  %s  %s%n", suite.seconds, suite.module, suite.simpleName()));
    }

    private static void print(String heading, List<String> lines) {
        if (!lines.isEmpty()) {
            System.out.println("\n" + heading);
            lines.forEach(line -> System.out.println("  " + line));
        }
    }

    /** Directories with a pom.xml, as relative paths. */
    private static List<Path> modules() throws IOException {
        try (Stream<Path> poms = Files.find(Path.of(""), 4, (path, attributes) -> path.endsWith("pom.xml"))) {
            return poms.filter(pom -> pom.getParent() != null && !pom.toString().contains("target/"))
                    .map(Path::getParent)
                    .sorted()
                    .toList();
        }
    }

    private static List<Path> files(Path folder, String start, String end) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(file -> file.getFileName().toString().startsWith(start)
                            && file.getFileName().toString().endsWith(end))
                    .sorted()
                    .toList();
        }
    }

    /** One test run: the directory of its reports, and the classes that took part. */
    private record Phase(String directory, List<String> only, List<String> without, List<String> in) {
        static Phase parse(String text) {
            String[] words = text.trim().split("\\s+");
            return new Phase(words[0], values(words, "only"), values(words, "without"), values(words, "in"));
        }

        private static List<String> values(String[] words, String name) {
            return Stream.of(words)
                    .filter(word -> word.startsWith(name + "="))
                    .flatMap(word -> Stream.of(word.substring(name.length() + 1).split(",")))
                    .filter(value -> !value.isEmpty())
                    .toList();
        }

        boolean includes(Path module) {
            return in.isEmpty() || in.contains(module.toString());
        }

        boolean wants(List<String> ofClass, List<String> anywhere) {
            return ofClass.stream().noneMatch(without::contains)
                    && (only.isEmpty() || only.stream().anyMatch(tags -> anywhere.containsAll(List.of(tags.split("&")))));
        }
    }

    /** The report of one class. */
    private record Suite(
            Path module, String name, double seconds, int tests, int failed, int skipped, List<String> failures) {
        static Suite read(Path module, Path file) {
            try (InputStream in = Files.newInputStream(file)) {
                XMLInputFactory factory = XMLInputFactory.newFactory();
                factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
                return read(module, factory.createXMLStreamReader(in));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (XMLStreamException e) {
                // Truncated, for example by a full disk or a kill: this does not count as passed.
                return new Suite(module, file.getFileName().toString(), 0, 1, 1, 0, List.of(file + " is damaged"));
            }
        }

        private static Suite read(Path module, XMLStreamReader xml) throws XMLStreamException {
            Suite suite = null;
            String test = "";
            List<String> failures = new ArrayList<>();
            while (xml.hasNext()) {
                if (xml.next() != XMLStreamConstants.START_ELEMENT) {
                    continue;
                }
                switch (xml.getLocalName()) {
                    case "testsuite" -> suite = new Suite(
                            module,
                            xml.getAttributeValue(null, "name"),
                            number(xml, "time"),
                            (int) number(xml, "tests"),
                            (int) (number(xml, "failures") + number(xml, "errors")),
                            (int) number(xml, "skipped"),
                            failures);
                    case "testcase" -> test = simple(xml.getAttributeValue(null, "classname")) + "."
                            + xml.getAttributeValue(null, "name");
                    case "failure", "error" -> failures.add(test + message(xml));
                    default -> {}
                }
            }
            if (suite == null) {
                throw new XMLStreamException("no testsuite");
            }
            return suite;
        }

        private static String message(XMLStreamReader xml) {
            return Optional.ofNullable(xml.getAttributeValue(null, "message"))
                    .flatMap(text -> text.lines().map(String::strip).filter(line -> !line.isEmpty()).findFirst())
                    .map(line -> ": " + (line.length() > 160 ? line.substring(0, 160) + "…" : line))
                    .orElse("");
        }

        private static double number(XMLStreamReader xml, String name) {
            String text = xml.getAttributeValue(null, name);
            return text == null ? 0 : Double.parseDouble(text.replace(",", ""));
        }

        String simpleName() {
            return simple(name);
        }

        private static String simple(String name) {
            Matcher last = Pattern.compile("[^.]*$").matcher(name == null ? "" : name);
            return last.find() ? last.group() : "";
        }
    }
}

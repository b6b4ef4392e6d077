package io.postrider;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The few arrows between rooms that matter, and what nobody in the house may do. */
@Tag("once")
@Tag("security")
class ArchitectureTest {
    private static final String ROOMS = "io.postrider.internal.";
    private static final List<String> API = List.of("io.postrider", "io.postrider.admin");
    private static final Set<String> FACADE =
            Set.of("io.postrider.Postrider", "io.postrider.Implementation", "io.postrider.Options");
    private static final JavaClasses CORE = classesBeside(Postrider.class);

    /** Who may hold a connection outside the one door, and why. */
    private static final Set<String> HOLD_A_CONNECTION = Set.of(
            "io.postrider.JobHandler",
            "io.postrider.Postrider", // the caller's, to emit in its transaction
            "io.postrider.internal.node.Node", // the same, and for work in a transaction of our own
            "io.postrider.admin.Revocations", // the caller's, which has a network timeout
            "io.postrider.internal.access.JdbcRevocations",
            "io.postrider.HandlerTransactions", // it has the connection of a handler
            "io.postrider.Handler", // a transactional handler's
            "io.postrider.internal.emit.Emitter", // the caller's
            "io.postrider.internal.history.Recorder", // a transactional handler's
            "io.postrider.internal.listen.TransactionalInvoker"); // hands it to the handler

    /** What each room may know of the others. The API's values (io.postrider and io.postrider.admin) are known to all. */
    private static final Map<String, Set<String>> ARROWS = Map.ofEntries(
            Map.entry("db", Set.of()),
            Map.entry("watch", Set.of()),
            Map.entry("threads", Set.of()),
            Map.entry("emit", Set.of("db", "watch")),
            Map.entry("log", Set.of("db", "watch")),
            Map.entry("wake", Set.of("db", "watch", "threads")),
            Map.entry("sequence", Set.of("db", "watch", "log", "wake", "threads")),
            Map.entry("access", Set.of("db")),
            Map.entry("history", Set.of("db", "access", "log")),
            Map.entry("relay", Set.of()),
            Map.entry("shadow", Set.of("db")),
            Map.entry("listen", Set.of("db", "access", "watch", "log", "wake", "relay", "shadow", "threads")),
            Map.entry("retain", Set.of("db")),
            Map.entry("schema", Set.of("db")),
            Map.entry("claim", Set.of("db", "wake", "threads")),
            Map.entry("settle", Set.of("db", "claim", "threads")),
            Map.entry("takeover", Set.of("db", "threads")),
            Map.entry("schedule", Set.of("db", "threads")),
            Map.entry("jobs", Set.of("db", "access", "threads")),
            Map.entry(
                    "work", Set.of("db", "watch", "threads", "log", "wake", "claim", "settle", "takeover", "schedule")),
            Map.entry("verify", Set.of("db")),
            Map.entry("adopt", Set.of("db")),
            Map.entry("doctor.check", Set.of("db")),
            Map.entry("doctor.server", Set.of("db", "schema", "doctor.check")),
            Map.entry("doctor.rights", Set.of("db", "doctor.check")),
            Map.entry("doctor.schema", Set.of("db", "schema", "doctor.check", "doctor.server")),
            Map.entry("doctor.progress", Set.of("db", "doctor.check")),
            Map.entry("doctor.retention", Set.of("db", "doctor.check")),
            Map.entry("doctor.jobs", Set.of("db", "schedule", "doctor.check")),
            Map.entry(
                    "doctor",
                    Set.of(
                            "db",
                            "schema",
                            "doctor.check",
                            "doctor.server",
                            "doctor.rights",
                            "doctor.schema",
                            "doctor.progress",
                            "doctor.retention",
                            "doctor.jobs")),
            Map.entry("metrics", Set.of("db")),
            Map.entry(
                    "node",
                    Set.of(
                            "db",
                            "watch",
                            "emit",
                            "log",
                            "wake",
                            "sequence",
                            "access",
                            "history",
                            "listen",
                            "retain",
                            "schema",
                            "schedule",
                            "jobs",
                            "work",
                            "verify",
                            "adopt",
                            "doctor",
                            "metrics")));

    /** Modules that test or measure the inside. Every other module uses the API only. */
    private static final Set<String> MAY_USE_INTERNALS = Set.of("core", "testkit", "proof", "bench");

    /** Where time itself is part of the test, how often, and why. */
    private static final Map<String, Integer> SLEEPS = new TreeMap<>(Map.ofEntries(
            Map.entry("BusyPoolTest.java", 2), // the length of a fault
            Map.entry("ChildJvmTest.java", 3), // that nothing happens for a while; the pace of a child
            Map.entry("ConnectionLimitsTest.java", 1), // a head that is slow and in time
            Map.entry("DatabaseDeathTest.java", 2), // the random moment of a fault
            Map.entry("DiskFullTest.java", 1), // the rate of the load
            Map.entry("ServerLosesCommitsTest.java", 4), // the random moment of a fault, and the load after it
            Map.entry("GoLiveTest.java", 1), // the rate of the load
            Map.entry("HugeTransactionTest.java", 1), // the rate of the load
            Map.entry("HubStormTest.java", 2), // the random pace of publishers and readers
            Map.entry("JitTest.java", 1), // the rate of the load
            Map.entry("JobFleet.java", 1), // the rate of the load
            Map.entry("KafkaOutageTest.java", 1), // the rate of the load
            Map.entry("PoolerTest.java", 1), // an attempt that takes longer than the retries of the other nodes
            Map.entry("ProcessDeathTest.java", 2), // the random moment of a fault
            Map.entry("ServerStateTest.java", 1), // the length of a fault
            Map.entry("WebhookRelayTest.java", 1), // the latency of an endpoint
            Map.entry("WebhookSinkTest.java", 1), // the latency of an endpoint
            Map.entry("WebhookWireTest.java", 1), // the latency of an endpoint
            Map.entry("WorkerDeathTest.java", 2))); // the random moment of a fault, and the rate of the load

    @Test
    void packages_depend_only_on_earlier_packages_of_the_map() {
        ARROWS.forEach((room, known) -> noClasses()
                .that()
                .resideInAPackage(ROOMS + room)
                .should()
                .dependOnClassesThat(describe("are in a room that " + room + " does not know", other -> {
                    String name = other.getPackageName();
                    return name.startsWith(ROOMS)
                            && !name.equals(ROOMS + room)
                            && known.stream().noneMatch(one -> name.equals(ROOMS + one));
                }))
                .check(CORE));
    }

    @Test
    void every_package_is_on_the_map() {
        classes()
                .should()
                .resideInAnyPackage(java.util.stream.Stream.concat(
                                java.util.stream.Stream.of(
                                        "io.postrider", "io.postrider.admin", "io.postrider.internal"),
                                ARROWS.keySet().stream().map(room -> ROOMS + room))
                        .toArray(String[]::new))
                .check(CORE);
    }

    /**
     * The facade returns the types of admin, and admin uses the values beside the facade, so that root and admin know each other.
     * As slices of their own, the facade, the values and admin form no circle.
     */
    @Test
    void packages_and_api_have_no_cycle() {
        slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass one) {
                        String name = one.getPackageName();
                        return name.startsWith(ROOMS)
                                ? SliceIdentifier.of(name.substring(ROOMS.length()))
                                : !API.contains(name)
                                        ? SliceIdentifier.ignore()
                                        : FACADE.contains(outermost(one))
                                                ? SliceIdentifier.of("facade")
                                                : SliceIdentifier.of(name);
                    }

                    @Override
                    public String getDescription() {
                        return "the facade, the values, admin and each room";
                    }
                })
                .should()
                .beFreeOfCycles()
                .check(CORE);
    }

    @Test
    void the_api_does_not_depend_on_its_implementation() {
        noClasses()
                .that()
                .resideInAnyPackage(API.toArray(String[]::new))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.postrider.internal..")
                .because("whatever is public there is promised, and so is every type in its signatures")
                .check(CORE);
    }

    @Test
    void other_modules_use_the_api_only() throws IOException {
        List<String> found = new ArrayList<>();
        Set<String> modules = new TreeSet<>();
        for (Path sources : allSources()) {
            String module = Path.of("..")
                    .relativize(sources.resolve("../../..").normalize())
                    .toString();
            if (MAY_USE_INTERNALS.contains(module)) {
                continue;
            }
            modules.add(module);
            String internal = module.equals("gateway") ? "io.postrider.internal" : "io.postrider.(gateway.)?internal";
            Pattern code = Pattern.compile("^[^\"]*\\b" + internal + "\\b", Pattern.MULTILINE);
            for (Path file : javaFiles(sources)) {
                if (code.matcher(Files.readString(file)).find()) {
                    found.add(file.toString());
                }
            }
        }
        assertThat(modules)
                .contains("cli", "server", "gateway", "spring-boot-starter", "sinks/kafka", "examples/livechat");
        assertThat(found)
                .as("what a tool needs and the API lacks is added to io.postrider.admin")
                .isEmpty();
    }

    @Test
    void the_door_to_the_database_knows_its_exception_and_who_opens_transactions_and_backoff_and_no_more() {
        noClasses()
                .that()
                .resideInAPackage(ROOMS + "db")
                .should()
                .dependOnClassesThat(describe(
                        "are of the house and not PostriderException, HandlerTransactions or Backoff",
                        other -> other.getPackageName().startsWith("io.postrider")
                                && !other.getPackageName().equals(ROOMS + "db")
                                && !Set.of(
                                                "io.postrider.PostriderException",
                                                "io.postrider.HandlerTransactions",
                                                "io.postrider.Backoff")
                                        .contains(outermost(other))))
                .check(CORE);
    }

    @Test
    void only_the_db_package_uses_jdbc() {
        noClasses()
                .that(are(outsideTheDoor()))
                .should()
                .dependOnClassesThat(describe(
                        "belong to JDBC, but for Connection and SQLException",
                        other -> other.getPackageName().equals("java.sql")
                                && !Set.of("java.sql.Connection", "java.sql.SQLException")
                                        .contains(other.getName())))
                .because("a row reader and a binder may pass a SQLException on; all else is the door's")
                .check(CORE);
        noClasses()
                .that(are(outsideTheDoor()))
                .and(describe("need no connection", one -> !HOLD_A_CONNECTION.contains(outermost(one))))
                .should()
                .dependOnClassesThat(
                        describe("are Connection", other -> other.getName().equals("java.sql.Connection")))
                .check(CORE);
        noClasses()
                .that(are(outsideTheDoor()))
                .should()
                .dependOnClassesThat(resideInAPackage("org.postgresql.."))
                .check(CORE);
    }

    @Test
    void core_deserialises_no_objects_and_loads_no_class_by_name() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .haveNameMatching("java\\.io\\.ObjectInputStream|java\\.beans\\.XMLDecoder|javax\\.script\\..*")
                .check(CORE);
        noClasses().should().callMethod(Class.class, "forName", String.class).check(CORE);
        noClasses()
                .should()
                .callMethod(Class.class, "forName", String.class, boolean.class, ClassLoader.class)
                .check(CORE);
        noClasses()
                .should()
                .callMethod(ClassLoader.class, "loadClass", String.class)
                .check(CORE);
    }

    /** In every module, not only here: none may let data choose a class, a script or an expression. */
    @Test
    void no_module_loads_classes_or_runs_code_named_by_data() throws IOException {
        Pattern banned = Pattern.compile("ObjectInputStream|XMLDecoder|ScriptEngine|SpelExpressionParser|InitialContext"
                + "|DefaultTyping|JsonTypeInfo|Class\\.forName|\\.loadClass\\(");
        List<String> found = new ArrayList<>();
        int checked = 0;
        for (Path sources : sourcesOfAllModules("src/main/java")) {
            for (Path file : javaFiles(sources)) {
                checked++;
                if (banned.matcher(Files.readString(file)).find()) {
                    found.add(file.getFileName().toString());
                }
            }
        }
        assertThat(checked).isGreaterThan(200);
        assertThat(found)
                .as("ChildMain starts the main class that a test names on its own command line;"
                        + " PublicApi lists the classes of a jar, without running them")
                .containsExactlyInAnyOrder("ChildMain.java", "PublicApi.java");
    }

    @Test
    void a_library_writes_to_its_log_only_and_never_ends_the_process() {
        noClasses().should().accessField(System.class, "out").check(CORE);
        noClasses().should().accessField(System.class, "err").check(CORE);
        noClasses().should().callMethod(System.class, "exit", int.class).check(CORE);
        noClasses().should().callMethod(Runtime.class, "halt", int.class).check(CORE);
        noClasses().should().callMethod(Throwable.class, "printStackTrace").check(CORE);
    }

    /** A worker whose clock is an hour off loses no job and takes none over: no lease or wait is computed from its clock. */
    @Test
    void only_the_ids_of_jobs_are_made_from_the_local_clock() {
        Set<String> clocks = Set.of("java.lang.System.currentTimeMillis", "java.util.Date.<init>");
        Set<String> readers = new TreeSet<>();
        for (JavaClass one : CORE) {
            one.getCodeUnitCallsFromSelf().stream()
                    .filter(call -> {
                        String owner = call.getTargetOwner().getName();
                        return clocks.contains(owner + "." + call.getName())
                                || owner.startsWith("java.time.")
                                        && call.getName().equals("now")
                                || owner.equals("java.time.Clock");
                    })
                    .forEach(call -> readers.add(outermost(one)));
        }
        assertThat(readers).containsExactly("io.postrider.Job");
    }

    @Test
    void core_depends_only_on_the_jdk_pgjdbc_slf4j_and_jspecify() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "io.postrider..", "java..", "javax.sql..", "org.postgresql..", "org.slf4j..", "org.jspecify..")
                .check(CORE);
    }

    @Test
    void public_api_classes_are_final_or_sealed() {
        classes()
                .that()
                .resideInAnyPackage(API.toArray(String[]::new))
                .and()
                .arePublic()
                .and()
                .areNotInterfaces()
                .and()
                .areNotEnums()
                .should()
                .haveModifier(com.tngtech.archunit.core.domain.JavaModifier.FINAL)
                .check(CORE);
    }

    @Test
    void tests_do_not_sleep() throws IOException {
        Pattern sleep = Pattern.compile("(?:\\.|::)\\s*sleep\\b|\\bpark(?:Nanos|Until)\\(");
        Map<String, Integer> found = new TreeMap<>();
        int checked = 0;
        for (Path sources : sourcesOfAllModules("src/test/java")) {
            for (Path file : javaFiles(sources)) {
                checked++;
                int sleeps =
                        (int) sleep.matcher(Files.readString(file)).results().count();
                if (sleeps > 0) {
                    found.put(file.getFileName().toString(), sleeps);
                }
            }
        }
        assertThat(checked).isGreaterThan(200);
        assertThat(found)
                .as("sleeps by file; wait for a signal with testkit's Await")
                .isEqualTo(SLEEPS);
    }

    private static List<Path> allSources() throws IOException {
        List<Path> sources = sourcesOfAllModules("src/main/java");
        sources.addAll(sourcesOfAllModules("src/test/java"));
        return sources;
    }

    private static List<Path> sourcesOfAllModules(String directory) throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String parent : List.of("..", "../sinks", "../examples")) {
            try (Stream<Path> modules = Files.list(Path.of(parent))) {
                modules.map(module -> module.resolve(directory))
                        .filter(Files::isDirectory)
                        .forEach(sources::add);
            }
        }
        return sources;
    }

    private static List<Path> javaFiles(Path sources) throws IOException {
        try (Stream<Path> files = Files.walk(sources)) {
            return files.filter(path -> path.toString().endsWith(".java")).toList();
        }
    }

    private static DescribedPredicate<JavaClass> outsideTheDoor() {
        return describe(
                "outside io.postrider.internal.db", one -> !one.getPackageName().equals(ROOMS + "db"));
    }

    private static String outermost(JavaClass one) {
        return one.getEnclosingClass().map(ArchitectureTest::outermost).orElse(one.getName());
    }

    private static JavaClasses classesBeside(Class<?> one) {
        return new ClassFileImporter()
                .importUrl(one.getProtectionDomain().getCodeSource().getLocation());
    }
}

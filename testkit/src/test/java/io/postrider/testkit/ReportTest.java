package io.postrider.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./test} passes only if every test class has a report and no test failed. */
@Tag("slow")
class ReportTest {
    private static final String PASSED = "<testcase name=\"works\" classname=\"a.OneTest\" time=\"0.5\"/>";
    private static final String FAILED = "<testcase name=\"breaks\" classname=\"a.OneTest\" time=\"0.5\">"
            + "<failure message=\"expected 1 &lt; 2\" type=\"x\">trace</failure></testcase>";

    @TempDir
    Path root;

    @BeforeEach
    void twoClassesOfOneModule() throws IOException {
        write("pom.xml", "");
        write("core/pom.xml", "");
        write("core/src/test/java/a/OneTest.java", "package a;\nclass OneTest {}\n");
        write("core/src/test/java/a/AloneTest.java", "package a;\n@Tag(\"alone\")\nclass AloneTest {}\n");
        write("maven.log", "[INFO] Postrider core ......... SUCCESS [  1.0 s]\n");
    }

    @Test
    void all_classes_reported_and_none_failed() throws Exception {
        report("core/target/surefire-reports/TEST-a.OneTest.xml", 1, 0, 0, PASSED);
        Judgement judgement = judge("--phase", "surefire-reports without=alone");
        assertThat(judgement.output()).endsWith("took: 1 min 05 s\ntests: 1 passed, 0 failed, 0 skipped\n");
        assertThat(judgement.output()).contains("0.5 s  core  OneTest");
        assertThat(judgement.exitCode()).isZero();
    }

    @Test
    void a_class_over_6_s_in_the_quick_run_is_a_warning() throws Exception {
        write(
                "core/target/surefire-reports/TEST-a.OneTest.xml",
                "<testsuite name=\"a.OneTest\" time=\"6.5\" tests=\"1\" errors=\"0\" skipped=\"0\" failures=\"0\">"
                        + PASSED + "</testsuite>");
        Judgement quick = judge("--phase", "surefire-reports without=alone,slow");
        assertThat(quick.output())
                .contains("warning: over 6 s in the quick run")
                .contains("  6.5 s  core  OneTest");
        assertThat(quick.exitCode()).isZero();
        assertThat(judge("--phase", "surefire-reports without=alone").output()).doesNotContain("warning");
    }

    @Test
    void a_failed_test_is_named() throws Exception {
        report("core/target/surefire-reports/TEST-a.OneTest.xml", 2, 1, 0, PASSED + FAILED);
        Judgement judgement = judge("--phase", "surefire-reports without=alone");
        assertThat(judgement.output())
                .contains("OneTest.breaks: expected 1 < 2 (core, surefire-reports)")
                .endsWith("tests: 1 passed, 1 failed, 0 skipped\n");
        assertThat(judgement.exitCode()).isEqualTo(1);
    }

    @Test
    void a_class_without_a_report_is_a_failure() throws Exception {
        report("core/target/surefire-reports/TEST-a.OneTest.xml", 1, 0, 0, PASSED);
        Judgement judgement =
                judge("--phase", "surefire-reports without=alone", "--phase", "surefire-reports-alone only=alone");
        assertThat(judgement.output()).contains("a.AloneTest (core, surefire-reports-alone)");
        assertThat(judgement.exitCode()).isEqualTo(1);
    }

    @Test
    void a_damaged_report_is_a_failure() throws Exception {
        write("core/target/surefire-reports/TEST-a.OneTest.xml", "<testsuite name=\"a.OneTest\" tests=\"1\"><testc");
        Judgement judgement = judge("--phase", "surefire-reports without=alone");
        assertThat(judgement.output()).contains("TEST-a.OneTest.xml is damaged");
        assertThat(judgement.exitCode()).isEqualTo(1);
    }

    @Test
    void a_module_that_does_not_build_and_a_crashed_jvm_are_failures() throws Exception {
        report("core/target/surefire-reports/TEST-a.OneTest.xml", 1, 0, 0, PASSED);
        for (String line : List.of(
                "[INFO] Postrider core ......... FAILURE [  1.0 s]",
                "[ERROR] The forked VM terminated without properly saying goodbye. VM crash or System.exit called?",
                "[ERROR] There was a timeout in the fork")) {
            write("maven.log", line + "\n");
            Judgement judgement = judge("--phase", "surefire-reports without=alone");
            assertThat(judgement.output()).contains("  " + line);
            assertThat(judgement.exitCode()).isEqualTo(1);
        }
    }

    @Test
    void skipped_tests_fail_only_where_none_may_be() throws Exception {
        report("core/target/surefire-reports/TEST-a.OneTest.xml", 2, 0, 1, PASSED);
        assertThat(judge("--phase", "surefire-reports without=alone").exitCode())
                .isZero();
        assertThat(judge("--phase", "surefire-reports without=alone", "--no-skips")
                        .exitCode())
                .isEqualTo(1);
    }

    private record Judgement(int exitCode, String output) {}

    private Judgement judge(String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                Path.of("..", ".ci", "Report.java").toRealPath().toString(),
                "--maven-log",
                "maven.log",
                "--seconds",
                "65"));
        command.addAll(List.of(options));
        Process process = new ProcessBuilder(command)
                .directory(root.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Judgement(process.waitFor(), output);
    }

    private void report(String file, int tests, int failures, int skipped, String cases) throws IOException {
        write(
                file,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"a.OneTest\" time=\"0.5\" tests=\""
                        + tests
                        + "\" errors=\"0\" skipped=\"" + skipped + "\" failures=\"" + failures + "\">\n" + cases
                        + "\n</testsuite>\n");
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}

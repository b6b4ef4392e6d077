package io.postrider.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Migrated;
import io.postrider.Psql;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** ARCHITECTURE.md is the way into the code: it names what exists, and leaves no package, table or module out. */
@Migrated
@Tag("once")
class ArchitectureDocTest {
    private static final Path ROOT = Path.of("..");
    private static final String TOUR = read(ROOT.resolve("ARCHITECTURE.md"));
    private static final Path INTERNAL = Path.of("src/main/java/io/postrider/internal");

    @Test
    void every_class_and_file_named_in_architecture_md_exists() throws IOException {
        Set<String> types = new HashSet<>();
        try (Stream<Path> files = Files.walk(ROOT)) {
            files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".java"))
                    .forEach(name -> types.add(name.replace(".java", "")));
        }
        List<String> missing = new ArrayList<>();
        Matcher name = Pattern.compile("`([A-Z][a-z]+(?:[A-Z][a-z]+)*)`").matcher(TOUR);
        while (name.find()) {
            if (!types.contains(name.group(1))) {
                missing.add(name.group(1));
            }
        }
        Matcher link = Pattern.compile("\\]\\(([^)#]+)").matcher(TOUR);
        while (link.find()) {
            if (!Files.exists(ROOT.resolve(link.group(1)))) {
                missing.add(link.group(1));
            }
        }
        Matcher sql = Pattern.compile("`((?:sql|views)/[a-z_/]+\\.sql)`").matcher(TOUR);
        while (sql.find()) {
            if (!Files.exists(Path.of("src/main/resources/postrider").resolve(sql.group(1)))) {
                missing.add(sql.group(1));
            }
        }
        assertThat(missing).isEmpty();
    }

    /** An event in 25 files and a job in 20 is what a newcomer can follow in one sitting. */
    @Test
    void the_path_of_an_event_and_of_a_job_can_be_read_in_few_files() {
        List<Integer> files = TOUR.lines()
                .filter(line -> line.startsWith("Reading order: "))
                .map(line -> line.split(" → ").length)
                .toList();
        assertThat(files).hasSize(2);
        assertThat(files.get(0)).as("files of an event").isBetween(20, 25);
        assertThat(files.get(1)).as("files of a job").isBetween(15, 20);
    }

    @Test
    void every_package_of_core_is_in_architecture_md() throws IOException {
        try (Stream<Path> packages = Files.list(INTERNAL)) {
            assertThat(packages.filter(Files::isDirectory)
                            .map(path -> path.getFileName().toString()))
                    .hasSizeGreaterThan(15)
                    .allSatisfy(name -> assertThat(TOUR).containsAnyOf("`" + name + "`", "/internal/" + name + "/"));
        }
    }

    @Test
    void every_module_is_in_architecture_md() {
        Matcher module = Pattern.compile("<module>([^<]+)</module>").matcher(read(ROOT.resolve("pom.xml")));
        List<String> missing = new ArrayList<>();
        int modules = 0;
        while (module.find()) {
            modules++;
            if (!TOUR.contains("`" + module.group(1) + "`")) {
                missing.add(module.group(1));
            }
        }
        assertThat(modules).isGreaterThan(15);
        assertThat(missing).isEmpty();
    }

    @Test
    void every_table_is_in_architecture_md(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            List<String> tables =
                    psql.texts("select c.relname::text from pg_class c where c.relnamespace = 'postrider'::regnamespace"
                            + " and c.relkind in ('r', 'p') and not c.relispartition");
            assertThat(tables)
                    .hasSizeGreaterThan(25)
                    .allSatisfy(table -> assertThat(TOUR).contains("`" + table + "`"));
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}

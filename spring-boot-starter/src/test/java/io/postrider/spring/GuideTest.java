package io.postrider.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Postrider;
import io.postrider.spring.guide.GuideApplication;
import io.postrider.spring.guide.LedgerRepository;
import io.postrider.spring.guide.Mailer;
import io.postrider.spring.guide.Orders;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The README matches tested code: its Java is the source of an application, its pom names the artifacts of this build. */
@PostgresTest
class GuideTest {
    private static final Path SOURCES = Path.of("src/test/java/io/postrider/spring/guide");

    @Test
    void the_application_of_the_readme_works(TestDatabase database) {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(GuideApplication.class)
                .properties(
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.jpa.hibernate.ddl-auto=create",
                        "spring.jpa.open-in-view=false")
                .run()) {
            context.getBean(Orders.class).place("ada");
            Await.until(
                    "it is booked",
                    Duration.ofSeconds(30),
                    () -> context.getBean(LedgerRepository.class).count() == 1);
            Await.until(
                    "the mail is sent",
                    Duration.ofSeconds(30),
                    () -> context.getBean(Mailer.class).sent().size() == 1);
            Await.until(
                    "it is recorded",
                    Duration.ofSeconds(30),
                    () -> context.getBean(Postrider.class).eventLog().reached("orders") == 1);
        }
    }

    @Test
    void every_java_snippet_is_a_part_of_that_application() throws IOException {
        List<String> parts = new ArrayList<>();
        try (Stream<Path> files = Files.list(SOURCES)) {
            for (Path file : files.toList()) {
                Pattern.compile("(?s)// region [^\n]*\n(.*?)// endregion")
                        .matcher(Files.readString(file))
                        .results()
                        .forEach(found -> parts.add(inOneLine(found.group(1))));
            }
        }
        assertThat(blocks("java"))
                .hasSize(2)
                .allSatisfy(block -> assertThat(parts).contains(inOneLine(block)));
    }

    @Test
    void the_pom_to_copy_has_the_versions_of_this_build() throws IOException {
        String parent = Files.readString(Path.of("../pom.xml"));
        String version = first("<artifactId>postrider-parent</artifactId>\\s*<version>([^<]+)", parent);
        String boot = first("<spring-boot.version>([^<]+)", parent);
        assertThat(blocks("xml")).hasSize(1).allSatisfy(pom -> {
            assertThat(first("<artifactId>postrider-spring-boot-starter</artifactId>\\s*<version>([^<]+)", pom))
                    .isEqualTo(version);
            assertThat(first("<artifactId>spring-boot-starter-parent</artifactId>\\s*<version>([^<]+)", pom))
                    .isEqualTo(boot);
        });
    }

    @Test
    void every_property_is_in_the_table() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        assertThat(KnownKeys.of(PostriderProperties.class).keys())
                .allSatisfy(key -> assertThat(readme).contains("`" + key.replace("*", "<name>") + "`"));
    }

    private static List<String> blocks(String language) throws IOException {
        return Pattern.compile("(?s)```" + language + "\n(.*?)```")
                .matcher(Files.readString(Path.of("README.md")))
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private static String first(String regex, String text) {
        return Pattern.compile(regex)
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .findFirst()
                .orElse("no " + regex);
    }

    private static String inOneLine(String text) {
        return text.replaceAll("\\s+", " ").strip();
    }
}

package io.postrider.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every statement in a file is one that the server understands, is used, and follows the house's form. */
@PostgresTest
class SqlFilesTest {
    @ParameterizedTest
    @ValueSource(strings = {"postrider", "acme"})
    void every_statement_can_be_prepared(String schema, TestDatabase database) throws Exception {
        Postrider.on(database.dataSource(), Options.defaults().withSchema(schema))
                .migrate();
        StatementTexts texts = new StatementTexts(SchemaName.of(schema));
        List<String> failures = new ArrayList<>();
        try (Connection connection = database.dataSource().getConnection()) {
            for (String file : statements()) {
                Sql sql = Sql.file(file);
                try (PreparedStatement statement = connection.prepareStatement(texts.of(sql))) {
                    int parameters = statement.getParameterMetaData().getParameterCount();
                    assertThat(parameters).as(file).isEqualTo(sql.parameters().size());
                } catch (SQLException e) {
                    failures.add(file + ": " + e.getMessage());
                }
                assertThat(texts.of(sql)).startsWith("/* postrider:" + sql.name() + " */ ");
            }
        }
        assertThat(failures).isEmpty();
    }

    @Test
    void every_statement_is_used() throws Exception {
        StringBuilder classes = new StringBuilder();
        for (Path path : walk(
                Path.of(Sql.class.getResource("Sql.class").toURI()).getParent().getParent())) {
            classes.append(new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1));
        }
        assertThat(statements().stream().filter(file -> classes.indexOf(file) < 0))
                .isEmpty();
    }

    /** A takeover spares the session of an operator's cancellation by the name of its statement. */
    @Test
    void a_statement_named_in_an_sql_text_exists() throws Exception {
        StringBuilder sources = new StringBuilder();
        for (Path path : walk(Path.of("src/main/java"))) {
            sources.append(Files.readString(path));
        }
        List<String> names = new ArrayList<>();
        for (Path path : walk(Path.of("src/main/resources/postrider"))) {
            Matcher named = Pattern.compile("/\\* postrider:(\\S+) \\*/").matcher(Files.readString(path));
            while (named.find()) {
                names.add(named.group(1));
            }
        }
        assertThat(names)
                .contains("jobs/cancel")
                .allSatisfy(name -> assertThat(sources).contains("(\"" + name + "\""));
    }

    @Test
    void a_parameter_is_a_colon_and_a_name_and_nothing_else_is() {
        assertThat(Sql.text("t", "select :a::int8, ':b'::text, x.c::d from t where e = :a_1 and f=:g -- :h\n")
                        .parameters())
                .contains("a", "a_1", "g")
                .doesNotContain("int8", "text", "d");
        assertThat(Sql.text("t", "-- about :x\nselect 1").parameters()).isEmpty();
    }

    private static List<String> statements() throws IOException {
        Path root = Path.of("src/main/resources/postrider/sql"); // not target/classes, which may keep what was removed
        return walk(root).stream()
                .map(path -> root.relativize(path).toString().replace(".sql", ""))
                .sorted()
                .toList();
    }

    private static List<Path> walk(Path root) throws IOException {
        try (Stream<Path> paths = Files.walk(root)) {
            return paths.filter(Files::isRegularFile).toList();
        }
    }
}

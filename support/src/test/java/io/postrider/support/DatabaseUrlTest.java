package io.postrider.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

@Tag("security")
class DatabaseUrlTest {
    private static PGSimpleDataSource source(String url) {
        return (PGSimpleDataSource) DatabaseUrl.parse(url).dataSource("test");
    }

    private static PostriderException refused(String url) {
        PostriderException e = catchThrowableOfType(PostriderException.class, () -> DatabaseUrl.parse(url));
        assertThat(e).as(url).isNotNull();
        assertThat(e.kind()).isEqualTo(Kind.REFUSED);
        return e;
    }

    @ParameterizedTest
    @CsvSource({
        "postgres://me:pw@db:5433/shop, db, 5433, shop, me, pw",
        "postgresql://me@db/shop, db, 0, shop, me,",
        "postgres://me:p%40w%2F%3A@db/shop, db, 0, shop, me, p@w/:",
        "postgres://db/my%20shop?user=me&password=pw, db, 0, my shop, me, pw",
        "postgres://me@[::1]:5433/shop, [::1], 5433, shop, me,",
        "jdbc:postgresql://db:5433/shop?user=me&password=pw, db, 5433, shop, me, pw",
        "jdbc:postgresql:shop?user=me, localhost, 0, shop, me,"
    })
    void both_forms_are_understood(String url, String host, int port, String database, String user, String password) {
        PGSimpleDataSource source = source(url);
        assertThat(source.getServerNames()[0]).isEqualTo(host);
        assertThat(source.getPortNumbers()[0]).isIn(port, 5432);
        assertThat(source.getDatabaseName()).isEqualTo(database);
        assertThat(source.getUser()).isEqualTo(user);
        assertThat(source.getPassword()).isEqualTo(password);
    }

    @Test
    void several_hosts_and_parameters_go_through() {
        PGSimpleDataSource source =
                source("postgres://me@a:1,b:2/shop?sslmode=require&application_name=x&connect_timeout=3");
        assertThat(source.getServerNames()).containsExactly("a", "b");
        assertThat(source.getPortNumbers()).containsExactly(1, 2);
        assertThat(source.getSslmode()).isEqualTo("require");
        assertThat(source.getApplicationName()).isEqualTo("x");
        assertThat(source.getConnectTimeout()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "socketFactory",
                "socketFactoryArg",
                "sslfactory",
                "sslfactoryarg",
                "sslhostnameverifier",
                "sslpasswordcallback",
                "authenticationPluginClassName",
                "xmlFactoryFactory",
                "SOCKETFACTORY"
            })
    void a_parameter_that_loads_a_class_is_refused_by_name(String name) {
        assertThat(refused("postgres://db/shop?" + name + "=evil.Class")).hasMessageContaining(name);
        assertThat(refused("jdbc:postgresql://db/shop?user=me&" + name + "=evil.Class"))
                .hasMessageContaining(name);
    }

    @Test
    void the_simple_query_mode_is_refused_by_name() {
        assertThat(refused("jdbc:postgresql://db/shop?preferQueryMode=simple")).hasMessageContaining("preferQueryMode");
    }

    @Test
    void a_mistyped_parameter_is_guessed() {
        assertThat(refused("postgres://db/shop?sslmod=require")).hasMessageContaining("did you mean 'sslmode'?");
    }

    @Test
    void a_unix_socket_is_refused_with_what_to_do() {
        assertThat(refused("postgres:///shop?host=/var/run/postgresql")).hasMessageContaining("localhost");
        assertThatThrownBy(() -> DatabaseUrl.fromEnvironment(Map.of("PGHOST", "/var/run/postgresql")))
                .hasMessageContaining("localhost");
    }

    @Test
    void a_malformed_url_is_refused() {
        assertThat(refused("mysql://me:geheim@db/shop")).hasMessageContaining("postgres://");
        assertThat(refused("")).hasMessageContaining("postgres://");
    }

    @Test
    void a_password_is_never_repeated() {
        assertThat(DatabaseUrl.parse("postgres://me:geheim@db/shop").toString())
                .isEqualTo("postgres://me@db/shop")
                .doesNotContain("geheim");
        assertThat(refused("me:geheim@db/shop").getMessage()).doesNotContain("geheim");
        assertThat(refused("postgres://me:ge%heim@db/shop").getMessage()).doesNotContain("heim");
        assertThat(refused("postgres://me:geheim@db/shop?sslfactory=x").getMessage())
                .doesNotContain("geheim");
    }

    @Test
    void the_variables_of_psql_are_read() {
        PGSimpleDataSource source = (PGSimpleDataSource) DatabaseUrl.fromEnvironment(Map.of(
                        "PGHOST", "db",
                        "PGPORT", "5433",
                        "PGUSER", "me",
                        "PGPASSWORD", "p w",
                        "PGDATABASE", "shop",
                        "PGSSLMODE", "verify-full"))
                .dataSource("test");
        assertThat(source.getServerNames()).containsExactly("db");
        assertThat(source.getPortNumbers()).containsExactly(5433);
        assertThat(source.getUser()).isEqualTo("me");
        assertThat(source.getPassword()).isEqualTo("p w");
        assertThat(source.getDatabaseName()).isEqualTo("shop");
        assertThat(source.getSslmode()).isEqualTo("verify-full");
    }

    @Test
    void a_bad_port_names_its_variable() {
        assertThatThrownBy(() -> DatabaseUrl.fromEnvironment(Map.of("PGPORT", "many")))
                .hasMessageContaining("PGPORT")
                .hasMessageContaining("many");
    }

    @Test
    void nothing_given_says_what_can_be() {
        assertThatThrownBy(() -> DatabaseUrl.fromEnvironment(Map.of("PATH", "/bin")))
                .hasMessageContaining("--database-url")
                .hasMessageContaining("POSTRIDER_DATABASE_URL")
                .hasMessageContaining("PGHOST");
    }
}

package io.postrider.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.PostriderException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("security")
class RedisOptionsTest {
    private final String secret = UUID.randomUUID().toString();

    @Test
    void the_environment_of_the_requirements_is_understood() {
        assertThat(RedisOptions.fromEnvironment(Map.of())).isEmpty();
        assertThat(RedisOptions.fromEnvironment(Map.of("REDIS_PORT", "1"))).isEmpty();
        assertThat(RedisOptions.fromEnvironment(Map.of("REDIS_HOST", "cache")).orElseThrow())
                .hasToString(RedisOptions.at("cache", 6379).toString());
        RedisOptions all = RedisOptions.fromEnvironment(Map.of(
                        "REDIS_HOST", "cache",
                        "REDIS_PORT", "6380",
                        "REDIS_USER", "rider",
                        "REDIS_PASSWORD", secret,
                        "REDIS_DATABASE", "3",
                        "REDIS_TLS", "on",
                        "POSTRIDER_REDIS_CHANNEL_SECRET", secret))
                .orElseThrow();
        assertThat(all.toString())
                .contains("redis=cache:6380/3", "tls=true", "user=rider", "password=given", "channel_secret=given");
    }

    @Test
    void a_url_says_the_same_and_goes_before_the_parts() {
        RedisOptions options = RedisOptions.fromEnvironment(Map.of(
                        "REDIS_HOST", "other", "POSTRIDER_REDIS_URL", "rediss://rider:" + secret + "@cache:6380/3"))
                .orElseThrow();
        assertThat(options.toString()).contains("redis=cache:6380/3", "tls=true", "user=rider", "password=given");
        assertThat(RedisOptions.at("redis://cache").toString()).contains("cache:6379/0", "password=none");
        assertThat(RedisOptions.at("redis://:" + secret + "@cache").toString())
                .contains("user=default", "password=given");
        assertThat(new String(RedisOptions.at("redis://a:p%40ss%2Fw@cache")
                        .uri("t")
                        .getCredentialsProvider()
                        .resolveCredentials()
                        .block()
                        .getPassword()))
                .isEqualTo("p@ss/w");
    }

    @Test
    void no_secret_shows_also_not_when_it_is_refused() {
        RedisOptions options =
                RedisOptions.at("cache", 6379).withPassword(secret).withChannelSecret(secret);
        assertThat(options.toString()).doesNotContain(secret);
        assertThat(options.uri("t").toString()).doesNotContain(secret);
        assertThatThrownBy(() -> RedisOptions.at("redis://a:" + secret + "@ bad"))
                .isInstanceOf(PostriderException.class)
                .hasNoCause()
                .hasMessageNotContaining(secret);
        assertThatThrownBy(() -> RedisOptions.at("http://a:" + secret + "@host"))
                .hasMessageNotContaining(secret)
                .hasMessageContaining("redis://");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 65_536})
    void a_malformed_port_is_refused_by_name(int port) {
        assertThatThrownBy(() -> RedisOptions.at("cache", port)).hasMessageContaining("redis port must be 1..65535");
    }

    @Test
    void bad_values_are_refused_by_name() {
        RedisOptions options = RedisOptions.at("cache", 6379);
        assertThatThrownBy(() -> options.withTimeout(Duration.ZERO)).hasMessageContaining("redis timeout");
        assertThatThrownBy(() -> options.withConnectTimeout(Duration.ofHours(1)))
                .hasMessageContaining("redis connect timeout");
        assertThatThrownBy(() -> options.withDatabase(-1)).hasMessageContaining("redis database");
        assertThatThrownBy(() -> options.withChannelSecret("short")).hasMessageContaining("16 characters");
        assertThatThrownBy(() -> options.withPassword("")).hasMessageContaining("password");
        assertThatThrownBy(() -> RedisOptions.at(" ", 1)).hasMessageContaining("redis host");
        assertThatThrownBy(() -> RedisOptions.fromEnvironment(Map.of("REDIS_HOST", "a", "REDIS_PORT", "x")))
                .hasMessageContaining("REDIS_PORT must be a number, was 'x'");
        assertThatThrownBy(() -> RedisOptions.fromEnvironment(Map.of("REDIS_HOST", "a", "REDIS_TLS", "yes")))
                .hasMessageContaining("REDIS_TLS must be on or off");
        assertThatThrownBy(() -> RedisOptions.fromEnvironment(Map.of("REDIS_HOST", "a", "REDIS_USER", "u")))
                .hasMessageContaining("password");
        assertThatThrownBy(() -> new RedisStreamSink(options, "a b")).hasMessageContaining("redis stream");
        assertThatThrownBy(() -> new RedisStreamSink(options, "s", 10)).hasMessageContaining("at least 10000");
        assertThatThrownBy(() -> IngestOptions.of("s").withBatch(0)).hasMessageContaining("ingest batch");
        assertThatThrownBy(() -> IngestOptions.of("s").withWorkers(65)).hasMessageContaining("ingest workers");
    }

    @Test
    void a_cluster_is_given_by_code_url_or_environment() {
        RedisOptions coded = RedisOptions.cluster("a:7000", "b", "[::1]:7002");
        assertThat(coded.toString()).contains("redis=cluster a:7000,b:6379,[::1]:7002 ");
        RedisOptions url = RedisOptions.at("rediss-cluster://u:p%40w@a:7000,b:7001");
        assertThat(url.toString()).contains("redis=cluster a:7000,b:7001 tls=true user=u password=given");
        RedisOptions environment = RedisOptions.fromEnvironment(Map.of(
                        "REDIS_HOST", "a,b:7001", "REDIS_PORT", "7000", "REDIS_CLUSTER", "on", "REDIS_PASSWORD", "w"))
                .orElseThrow();
        assertThat(environment.toString())
                .contains("redis=cluster a:7000,b:7001 ")
                .contains("password=given");
        assertThatThrownBy(() -> coded.withDatabase(1)).hasMessage("redis database must be 0 in a cluster, was 1");
        assertThatThrownBy(() -> RedisOptions.cluster()).hasMessageContaining("redis nodes must be 1..100");
        assertThatThrownBy(() -> RedisOptions.cluster("a:x")).hasMessageContaining("redis node must be host:port");
    }

    @Test
    void sentinels_are_given_by_code_url_or_environment() {
        assertThat(RedisOptions.sentinel("main", "a", "b:26380").toString())
                .contains("redis=main of sentinels a:26379,b:26380/0 ");
        assertThat(RedisOptions.at("redis-sentinel://:secret-word@a:1,b:2/3#main")
                        .toString())
                .contains("redis=main of sentinels a:1,b:2/3 ")
                .doesNotContain("secret-word");
        assertThat(RedisOptions.fromEnvironment(Map.of("REDIS_HOST", "a,b", "REDIS_SENTINEL_PRIMARY", "main"))
                        .orElseThrow()
                        .toString())
                .contains("redis=main of sentinels a:26379,b:26379/0 ");
        for (String url : List.of(
                "redis-sentinel://a:1",
                "redis://a:1,b:2",
                "redis-cluster://a:1#main",
                "redis-cluster://",
                "redis-other://a")) {
            assertThatThrownBy(() -> RedisOptions.at(url)).as(url).hasMessageContaining("redis url must be");
        }
        assertThatThrownBy(() -> RedisOptions.fromEnvironment(
                        Map.of("REDIS_HOST", "a", "REDIS_CLUSTER", "on", "REDIS_SENTINEL_PRIMARY", "main")))
                .hasMessageContaining("REDIS_CLUSTER and REDIS_SENTINEL_PRIMARY are both set");
        assertThatThrownBy(() -> RedisOptions.fromEnvironment(Map.of("REDIS_HOST", "a", "REDIS_CLUSTER", "yes")))
                .hasMessage("REDIS_CLUSTER must be on or off, was 'yes'");
    }
}

package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.gateway.Gateway;
import io.postrider.server.settings.Keyring;
import io.postrider.server.settings.ServerSettings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** Objects that hold a secret do not print it. */
@Tag("security")
class SecretsInTextTest {
    private static final String CANARY = "canary-4711-canary-4711-canary-4711";

    @Test
    void settings_print_without_their_secrets() {
        ServerSettings settings = new Binder(new MapConfigurationPropertySource(Map.of(
                        "postrider.database-url",
                        "postgres://me:" + CANARY + "@db/shop",
                        "postrider.redis-url",
                        "redis://:" + CANARY + "@redis",
                        "postrider.redis-channel-secret",
                        CANARY,
                        "postrider.auth.secrets.mint",
                        CANARY,
                        "postrider.relays.audit.type",
                        "webhook",
                        "postrider.relays.audit.url",
                        "https://hooks.example/" + CANARY,
                        "postrider.relays.audit.secrets",
                        CANARY)))
                .bind("postrider", ServerSettings.class)
                .get();
        assertThat(settings.redisChannelSecret()).isEqualTo(CANARY);
        assertThat(settings.toString()).doesNotContain("canary").contains("mint", "audit");
    }

    @Test
    void a_development_token_is_not_printed() {
        Keyring keyring = Keyring.of(new ServerSettings.Auth("i", "a", Map.of(), Map.of()), "127.0.0.1");
        assertThat(keyring.toString()).doesNotContain(keyring.development().orElseThrow());
    }

    @Test
    void a_wish_prints_without_its_token() {
        assertThat(new Gateway.Wish(CANARY, "orders", List.of("user:ann"), 1L).toString())
                .doesNotContain("canary")
                .contains("orders");
    }
}

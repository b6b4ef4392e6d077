package io.postrider.kafka;

import static io.postrider.kafka.Topics.EPOCH;
import static io.postrider.kafka.Topics.events;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.SendResult;
import java.time.Duration;
import java.util.UUID;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** At a listener of the broker that wants a login. */
@Tag("security")
class KafkaLoginTest {
    private static final Broker BROKER = Broker.shared();
    private static final KafkaOptions OPTIONS = BROKER.optionsBehindProxy().withDeliveryTimeout(Duration.ofSeconds(15));

    @Test
    void a_password_with_quotes_and_backslashes_logs_in_everywhere() throws Exception {
        String topic = BROKER.topic("login", 1);
        try (KafkaSink sink = KafkaSink.to(topic, OPTIONS.withLogin("PLAIN", Broker.USER, Broker.PASSWORD))) {
            assertThat(sink.send(EPOCH, events(1, 3)).isWhole()).isTrue();
            assertThat(sink.holds(EPOCH, 0)).hasSize(3);
            assertThat(sink.test()).contains("1 partition of 1 in sync");
        }
    }

    @Test
    void a_wrong_password_is_unavailable_and_no_event_is_blamed_for_it() throws Exception {
        String wrong = "wrong-" + UUID.randomUUID();
        try (KafkaSink sink = KafkaSink.to("any", OPTIONS.withLogin("PLAIN", Broker.USER, wrong))) {
            SendResult receipt = sink.send(EPOCH, events(1, 3));
            assertThat(receipt.isUnavailable()).isTrue();
            assertThat(receipt.taken()).isZero();
            assertThat(receipt.error()).isInstanceOf(SaslAuthenticationException.class);
            assertThat(receipt.toString()).doesNotContain(wrong);
            assertThatThrownBy(() -> sink.holds(EPOCH, 0)).isInstanceOf(SaslAuthenticationException.class);
            assertThatThrownBy(sink::test)
                    .isInstanceOf(SaslAuthenticationException.class)
                    .hasMessageNotContaining(wrong);
        }
    }

    @Test
    void a_password_cannot_bring_a_login_module_of_its_own() throws Exception {
        String evil =
                "x\"; com.sun.security.auth.module.JndiLoginModule required user.provider.url=\"ldap://127.0.0.1:1/x";
        try (KafkaSink sink = KafkaSink.to("any", OPTIONS.withLogin("PLAIN", Broker.USER, evil))) {
            assertThat(sink.send(EPOCH, events(1, 1)).error()).isInstanceOf(SaslAuthenticationException.class);
        }
    }
}

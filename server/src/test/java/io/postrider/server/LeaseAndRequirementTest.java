package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Topics.Requirement;
import io.postrider.server.LiveServer.Reply;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Leases of queues by HTTP and by settings, and fields that a topic requires. */
@PostgresTest
@Tag("slow")
class LeaseAndRequirementTest {
    @Test
    void a_lease_is_set_by_settings_and_by_http_and_refused_by_name(TestDatabase database) {
        try (LiveServer server = LiveServer.on(database, Map.of("postrider.queues.mail.lease", "45s"))) {
            String operator = server.operator();
            assertThat(lease(server)).isEqualTo("PT45S");
            Reply set = server.post(operator, "/v1/queues/mail/lease", "{\"lease\":\"PT30S\"}");
            assertThat(set.status()).as(set.text()).isEqualTo(200);
            assertThat(set.json().path("lease").asString()).isEqualTo("PT30S");
            assertThat(server.postrider().queues().list().get(0).lease()).isEqualTo(Duration.ofSeconds(30));
            assertThat(lease(server)).isEqualTo("PT30S");

            Reply tooShort = server.post(operator, "/v1/queues/mail/lease", "{\"lease\":\"PT1S\"}");
            assertThat(tooShort.status()).isEqualTo(400);
            assertThat(tooShort.detail()).isEqualTo("lease must be PT3S..PT1H, was PT1S");
            assertThat(server.post(operator, "/v1/queues/mail/lease", "{\"lease\":\"soon\"}")
                            .detail())
                    .contains("lease", "must be a duration such as PT10M");
            assertThat(server.post(operator, "/v1/queues/mail/lease", "").detail())
                    .contains("lease", "must be given; null means the default");
            assertThat(server.post(operator, "/v1/queues/mial/lease", "{\"lease\":null}")
                            .detail())
                    .contains("did you mean 'mail'?");
            assertThat(server.post(server.project("p"), "/v1/queues/mail/lease", "{\"lease\":null}")
                            .status())
                    .isEqualTo(403);

            assertThat(server.post(operator, "/v1/queues/mail/lease", "{\"lease\":null}")
                            .status())
                    .isEqualTo(200);
            assertThat(server.postrider().queues().list().get(0).lease()).isNull();
        }
    }

    private static String lease(LiveServer server) {
        return server.get(server.operator(), "/v1/queues")
                .json()
                .at("/queues/0/lease")
                .asString();
    }

    @Test
    void an_emit_without_a_required_field_is_a_bad_request_that_names_it(TestDatabase database) {
        try (LiveServer server = LiveServer.on(database)) {
            String operator = server.operator();
            server.postrider().topics().require(new Requirement("orders", true, true));
            Reply refused = server.post(
                    operator, "/v1/topics/orders/events", "{\"type\":\"a\",\"project_id\":\"p\",\"payload\":{}}");
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.detail()).contains("topic orders requires user_id");
            assertThat(server.post(
                                    operator,
                                    "/v1/topics/orders/events",
                                    "{\"type\":\"a\",\"project_id\":\"p\",\"user_id\":\"u\",\"payload\":{}}")
                            .status())
                    .isEqualTo(201);
        }
    }
}

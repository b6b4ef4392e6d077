package io.postrider.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.postrider.gateway.internal.limits.ConnectRateLimit;
import io.postrider.gateway.internal.limits.ConnectionLimits;
import io.postrider.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How often one subject may open a stream. SSE and WebSocket both come in by {@link Gateway.Visit#admit}. */
@Tag("security")
class ConnectRateLimitTest {
    private static final int MOST = 200;

    private final TokenMint mint = TokenMint.random("https://issuer.test", "postrider");

    private Gateway open(MemoryLog log, GatewayOptions options) {
        Hub hub = Hub.open(log, log, options);
        Await.until("the hub is ready", hub::isReady);
        return Gateway.of(mint.tokens(), hub);
    }

    private Gateway.Visit join(Gateway gateway, String subject, String project) {
        String token = mint.issue(subject, project, Identity.Reach.USER, Duration.ofMinutes(10));
        Gateway.Visit visit = gateway.arrive();
        try {
            visit.admit(new Gateway.Wish(token, MemoryLog.TOPIC, List.of("user:" + subject), 0L));
            visit.join(new Reader());
            return visit;
        } catch (Refusal refusal) {
            visit.leave();
            throw refusal;
        }
    }

    @Test
    void a_subject_that_opens_and_closes_without_end_is_refused_and_nobody_else() {
        try (Gateway gateway = open(new MemoryLog(), GatewayOptions.of(MemoryLog.TOPIC))) {
            Refusal refusal = catchThrowableOfType(Refusal.class, () -> {
                for (int i = 0; i < MOST * 2; i++) {
                    join(gateway, "bob", "p1").leave();
                }
            });
            assertThat(refusal).as("it was refused").isNotNull();
            assertThat(refusal.status()).isEqualTo(429);
            assertThat(refusal.detail()).contains("200 streams in a minute");
            assertThat(refusal.retryAfter()).isEqualTo(Duration.ofSeconds(5));
            join(gateway, "bob", "p2").leave();
            join(gateway, "ann", "p1").leave();
        }
    }

    @Test
    void what_was_used_comes_back_with_time_and_owners_that_are_quiet_are_forgotten() {
        AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000); // the clock may overflow
        ConnectRateLimit rate = new ConnectRateLimit(20, now::get);
        ConnectionLimits.Owner bob = new ConnectionLimits.Owner("p1", "bob");
        assertThat(allowed(rate, bob)).isEqualTo(MOST);
        now.addAndGet(Duration.ofSeconds(6).toNanos());
        assertThat(allowed(rate, bob)).as("a tenth of a minute").isEqualTo(MOST / 10);
        rate.giveBack(bob);
        assertThat(allowed(rate, bob)).isEqualTo(1);
        now.addAndGet(Duration.ofMinutes(61).toNanos());
        assertThat(allowed(rate, bob)).as("no more is saved up than a minute").isEqualTo(MOST);
        for (int i = 0; i < 1_000; i++) {
            rate.take(new ConnectionLimits.Owner(null, "user-" + i));
        }
        assertThat(rate.owners()).isEqualTo(1_001);
        now.addAndGet(Duration.ofSeconds(61).toNanos());
        rate.take(bob);
        assertThat(rate.owners()).isEqualTo(1);
    }

    @Test
    void the_limit_grows_with_the_connections_of_one_subject() {
        AtomicLong now = new AtomicLong();
        ConnectionLimits.Owner bob = new ConnectionLimits.Owner("p1", "bob");
        assertThat(allowed(new ConnectRateLimit(1, now::get), bob)).isEqualTo(MOST);
        assertThat(allowed(new ConnectRateLimit(50, now::get), bob)).isEqualTo(500);
    }

    private static int allowed(ConnectRateLimit rate, ConnectionLimits.Owner owner) {
        int count = 0;
        try {
            while (count < 10_000) {
                rate.take(owner);
                count++;
            }
        } catch (Refusal refused) {
            assertThat(refused.status()).isEqualTo(429);
        }
        return count;
    }

    @Test
    void twenty_tabs_may_reload_nine_times_at_once() {
        try (Gateway gateway = open(new MemoryLog(), GatewayOptions.of(MemoryLog.TOPIC))) {
            for (int reload = 0; reload < 10; reload++) {
                List<Gateway.Visit> tabs = Stream.generate(() -> join(gateway, "ann", "p1"))
                        .limit(20)
                        .toList();
                tabs.forEach(Gateway.Visit::leave);
            }
        }
    }

    @Test
    void a_connection_that_finds_no_place_does_not_count() {
        try (Gateway gateway =
                open(new MemoryLog(), GatewayOptions.of(MemoryLog.TOPIC).withConnections(100, 1))) {
            Gateway.Visit open = join(gateway, "ann", "p1");
            for (int i = 0; i < MOST * 2; i++) {
                Refusal refusal = catchThrowableOfType(Refusal.class, () -> join(gateway, "ann", "p1"));
                assertThat(refusal.detail()).contains("close another first");
            }
            open.leave();
            join(gateway, "ann", "p1").leave();
        }
    }
}

package io.postrider.internal.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Migrated;
import io.postrider.Node;
import io.postrider.PostriderException;
import io.postrider.Psql;
import io.postrider.admin.Revocations;
import io.postrider.testkit.TestDatabase;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;

@Migrated
class RevocationsTest {
    @Test
    void only_the_revoked_token_is_revoked(TestDatabase database) {
        Instant soon = Instant.now().plusSeconds(600).truncatedTo(ChronoUnit.MICROS);
        try (Node node = new Node(database)) {
            Revocations revocations = node.postrider.revocations();
            assertThat(revocations.isRevoked("a")).isFalse();
            revocations.revoke("a", soon, "stolen");
            assertThat(revocations.isRevoked("a")).isTrue();
            assertThat(revocations.isRevoked("A")).isFalse();
            assertThat(revocations.among(List.of("a", "b", "c", "%"))).containsExactly("a");
            assertThat(revocations.among(List.of())).isEmpty();
            assertThat(revocations.list(10)).singleElement().satisfies(one -> {
                assertThat(one.jti()).isEqualTo("a");
                assertThat(one.expiresAt()).isEqualTo(soon);
                assertThat(one.why()).isEqualTo("stolen");
            });
        }
    }

    @Test
    void revoking_again_keeps_the_later_expiry_and_the_first_reason(TestDatabase database) {
        Instant soon = Instant.now().plusSeconds(600).truncatedTo(ChronoUnit.MICROS);
        try (Node node = new Node(database)) {
            Revocations revocations = node.postrider.revocations();
            revocations.revoke("a", soon, "first");
            revocations.revoke("a", soon.plusSeconds(60), "second");
            revocations.revoke("a", soon.minusSeconds(60), "third");
            assertThat(revocations.list(10)).singleElement().satisfies(one -> {
                assertThat(one.expiresAt()).isEqualTo(soon.plusSeconds(60));
                assertThat(one.why()).isEqualTo("first");
            });
        }
    }

    @Test
    void a_revocation_without_effect_is_refused(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            Revocations revocations = node.postrider.revocations();
            assertThatThrownBy(() -> revocations.revoke("late", Instant.now().minusSeconds(3_600), null))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("expires_at");
            assertThat(revocations.isRevoked("late")).isFalse();
            psql.execute(
                    "insert into postrider.revoked_token (jti, expires_at) select 'j' || i, now() + interval '1 hour'"
                            + " from generate_series(1, " + Revocations.MOST + ") i");
            Instant soon = Instant.now().plusSeconds(600);
            assertThatThrownBy(() -> revocations.revoke("one too many", soon, null))
                    .isInstanceOfSatisfying(
                            PostriderException.class,
                            e -> assertThat(e.kind()).isEqualTo(PostriderException.Kind.CONFLICT))
                    .hasMessageContaining("key");
            assertThat(revocations.isRevoked("one too many")).isFalse();
            revocations.revoke("j1", soon, "again");
            psql.execute("delete from postrider.revoked_token where jti = 'j2'");
            revocations.revoke("one too many", soon, null);
            assertThat(revocations.isRevoked("one too many")).isTrue();
        }
    }

    @Test
    void a_malformed_id_is_refused_by_name_and_a_long_reason_is_shortened(TestDatabase database) {
        try (Node node = new Node(database)) {
            Revocations revocations = node.postrider.revocations();
            for (String jti : List.of("", "a\0b", "x".repeat(300))) {
                assertThatThrownBy(() -> revocations.revoke(jti, Instant.now(), ""))
                        .isInstanceOf(PostriderException.class)
                        .hasMessageContaining("jti");
            }
            revocations.revoke("é".repeat(256), Instant.now(), "ü".repeat(5_000));
            assertThat(revocations.isRevoked("é".repeat(256))).isTrue();
        }
    }
}

package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TcpProxy;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Which tokens are revoked is read again and again, whatever becomes of a connection. */
@PostgresTest
@Timeout(120)
@Tag("slow")
class RevokedTokensTest {

    @Test
    void a_connection_that_has_gone_silent_does_not_keep_it_from_reading(TestDatabase database) {
        Postrider postrider = Postrider.on(
                        database.dataSource(), Options.defaults().withNode("revoked"))
                .migrate();
        int port = database.server().port();
        try (postrider;
                TcpProxy proxy = TcpProxy.to(port)) {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setURL(database.jdbcUrl(proxy.port()));
            try (RevokedTokens tokens = new RevokedTokens(postrider, source)) {
                assertThat(proxy.connections()).isEqualTo(1);
                proxy.hold(); // as if the host had vanished: the connection stays, and says nothing any more
                source.setPortNumbers(new int[] {port}); // and another has taken its place
                postrider.revocations().revoke("stolen", Instant.now().plusSeconds(3_600), "meanwhile");
                Await.until("it is known", Duration.ofSeconds(60), () -> tokens.isRevoked("stolen"));
            }
        }
    }
}

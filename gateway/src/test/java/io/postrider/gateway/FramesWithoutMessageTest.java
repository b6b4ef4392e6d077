package io.postrider.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Frames that make no message are counted too, before and after hello. */
@Tag("security")
class FramesWithoutMessageTest extends GatewayTestBase {
    @ParameterizedTest
    @CsvSource({"pieces, false", "pieces, true", "pongs, false", "pongs, true"})
    void too_many_of_them_are_a_flood(String kind, boolean saysHello) throws Exception {
        try (Served served = serve(options().withHello(Duration.ofMinutes(1), 4096))) {
            SocketClient client = served.socket();
            if (saysHello) {
                client.hello(served.token("ann", "p1", Identity.Reach.USER), served.topic, null, "user:ann");
                client.await("position");
            }
            try {
                for (int i = 0; i < 1_100; i++) {
                    if (kind.equals("pongs")) {
                        client.sendPong();
                    } else {
                        client.sendPiece("");
                    }
                }
            } catch (ExecutionException e) {
                // closed already
            }
            assertThat(client.awaitClose()).isEqualTo(4429);
        }
    }
}

package io.postrider.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Background;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What only a server with gigabytes of notifications would send. */
@Tag("security")
class NotificationFilterTest {

    /** The answer to a statement comes after all notifications: who waits for it would wait for as long as they last. */
    @Test
    void a_flood_that_does_not_end_ends_the_connection() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket accepted = server.accept()) {
            CompletableFuture<Boolean> flood = Background.get(() -> notifyUntilItFails(accepted));
            NotificationFilter filter = new NotificationFilter(client);
            filter.accept(Set.of("event"), 1);
            long began = System.nanoTime();
            assertThatThrownBy(() -> filter.read(new byte[10], 0, 10)).hasMessageContaining("flood of notifications");
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(10));
            assertThat(filter.isFlooded()).isTrue();
            assertThat(client.isClosed()).isTrue();
            assertThatThrownBy(filter::read).hasMessageContaining("flood of notifications");
            assertThat(flood.join()).as("the server notices").isTrue();
        }
    }

    private static boolean notifyUntilItFails(Socket to) {
        byte[] content = ("postrider\0" + "x".repeat(7_900) + "\0").getBytes(StandardCharsets.US_ASCII);
        try {
            DataOutputStream out = new DataOutputStream(to.getOutputStream());
            while (true) {
                out.writeByte('A');
                out.writeInt(4 + 4 + content.length);
                out.writeInt(4711);
                out.write(content);
            }
        } catch (IOException e) {
            return true;
        }
    }
}

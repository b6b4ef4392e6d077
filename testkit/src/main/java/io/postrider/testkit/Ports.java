package io.postrider.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for servers that a test starts, stops and restarts on the same port. */
public final class Ports {

    /** Locks of the ports given out; the kernel releases them when this JVM ends for any reason. */
    private static final Queue<FileChannel> HELD = new ConcurrentLinkedQueue<>();

    private Ports() {}

    /**
     * A free port that no other test gets while this JVM runs: two test JVMs that checked at the same moment would otherwise
     * start their servers on the same port. It is below the ports of embedded servers (20000 and up) and the ephemeral ports
     * (32768 and up): neither may occupy it while the server is down, and no connecting client may reach itself.
     */
    public static int free() {
        for (int i = 0; i < 1_000; i++) {
            int port = ThreadLocalRandom.current().nextInt(12_000, 20_000);
            if (take(port)) {
                try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                    return socket.getLocalPort();
                } catch (IOException e) {
                    // another program uses it
                }
            }
        }
        throw new IllegalStateException("no free port between 12000 and 20000");
    }

    private static boolean take(int port) {
        try {
            Path directory = Path.of(
                    System.getProperty("java.io.tmpdir"), "postrider-test-ports-" + System.getProperty("user.name"));
            Files.createDirectories(directory);
            FileChannel channel = FileChannel.open(
                    directory.resolve(Integer.toString(port)), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            try {
                if (channel.tryLock() != null) {
                    HELD.add(channel);
                    return true;
                }
            } catch (OverlappingFileLockException e) {
                // this JVM has given it out
            }
            channel.close();
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot reserve port " + port, e);
        }
    }
}

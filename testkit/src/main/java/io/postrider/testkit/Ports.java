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

/** Ports for servers that a test starts, stops and starts again at the same place. */
public final class Ports {

    /** Locks of the ports given out; the kernel lets them go with this JVM, however it ends. */
    private static final Queue<FileChannel> HELD = new ConcurrentLinkedQueue<>();

    private Ports() {}

    /**
     * One that nobody listens at, and that no other test is given while this JVM lives: two test JVMs that looked at the same
     * moment would otherwise start their servers at the same port. Below those of embedded servers (20000 and up) and those
     * that the system gives to clients (32768 and up): one of them must not sit on it while the server is away, nor a client
     * that knocks there reach itself.
     */
    public static int free() {
        for (int i = 0; i < 1_000; i++) {
            int port = ThreadLocalRandom.current().nextInt(12_000, 20_000);
            if (take(port)) {
                try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                    return socket.getLocalPort();
                } catch (IOException e) {
                    // a program that is no test has it
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
                // given out by this JVM
            }
            channel.close();
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot reserve port " + port, e);
        }
    }
}

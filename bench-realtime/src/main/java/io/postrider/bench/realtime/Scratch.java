package io.postrider.bench.realtime;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A directory for as long as a server runs that is measured against. */
record Scratch(Path directory) implements AutoCloseable {
    static Scratch create(String what) throws IOException {
        return new Scratch(Files.createTempDirectory(prefix() + what + "-"));
    }

    /** What the names of those begin with that this process has made. */
    static String prefix() {
        return "postrider-bench-" + ProcessHandle.current().pid() + "-";
    }

    /** One that nobody listens on right now. */
    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** What cannot be deleted stays; it is under the system's directory for such things. */
    @Override
    public void close() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        }
    }
}

package io.postrider.bench.realtime;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A directory that exists while a server for the comparison runs. */
record Scratch(Path directory) implements AutoCloseable {
    static Scratch create(String what) throws IOException {
        return new Scratch(Files.createTempDirectory(prefix() + what + "-"));
    }

    /** The name prefix of the directories that this process has created. */
    static String prefix() {
        return "postrider-bench-" + ProcessHandle.current().pid() + "-";
    }

    /** A port that is currently free. */
    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Files that cannot be deleted stay in the system's temporary directory. */
    @Override
    public void close() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        }
    }
}

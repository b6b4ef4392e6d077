package io.postrider.server;

import io.postrider.testkit.Await;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Clients with a small receive buffer that send many requests at once and read no answer. */
final class NonReaders implements AutoCloseable {
    private static final int RECEIVE_BUFFER = 4 * 1024;

    private final List<Socket> sockets = new ArrayList<>();

    private final int port;
    private final byte[] requests;

    NonReaders(int port, String requests) {
        this.port = port;
        this.requests = requests.getBytes(StandardCharsets.US_ASCII);
    }

    /** As many more, each with the same requests. */
    NonReaders connect(int clients) throws IOException {
        for (int i = 0; i < clients; i++) {
            Socket socket = new Socket();
            sockets.add(socket);
            socket.setReceiveBufferSize(RECEIVE_BUFFER); // before it connects, or the window is large already
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(60_000);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            socket.getOutputStream().write(requests);
        }
        return this;
    }

    /** Waits until the first bytes of an answer have arrived at this many of them. */
    void awaitAnswers(int clients) {
        Await.until(
                "answers have begun at " + clients + " clients", Duration.ofSeconds(60), () -> answered() >= clients);
    }

    private long answered() throws IOException {
        long answered = 0;
        for (Socket socket : sockets) {
            answered += socket.getInputStream().available() > 0 ? 1 : 0;
        }
        return answered;
    }

    /** The first line of the answer to one of them, of which nothing was read before. */
    String status(int client) throws IOException {
        return new String(input(client).readNBytes(12), StandardCharsets.US_ASCII);
    }

    InputStream input(int client) throws IOException {
        return sockets.get(client).getInputStream();
    }

    @Override
    public void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}

package io.postrider.webhook;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A listening socket that does to each connection whatever a test thinks of. */
final class RawEndpoint implements AutoCloseable {
    @FunctionalInterface
    interface Script {
        void play(Talk talk) throws Exception;
    }

    /** One connection, from the endpoint's side. */
    static final class Talk {
        final Socket socket;
        final int number;
        private final InputStream in;

        Talk(Socket socket, int number) throws IOException {
            this.socket = socket;
            this.number = number;
            this.in = new BufferedInputStream(socket.getInputStream());
        }

        /** The head of the next request, its body read as well; empty if there is no more. */
        String request() throws IOException {
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int next = in.read();
                if (next < 0) {
                    return "";
                }
                head.append((char) next);
            }
            String length = head.toString().replaceAll("(?s).*content-length: (\\d+).*", "$1");
            in.readNBytes(Integer.parseInt(length));
            return head.toString();
        }

        void say(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
        }
    }

    final AtomicInteger connections = new AtomicInteger();
    private final ServerSocket server = new ServerSocket();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Script script;

    RawEndpoint(Script script) throws IOException {
        this.script = script;
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        thread(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    URI url(String scheme) {
        return URI.create(scheme + "://localhost:" + port() + "/");
    }

    WebhookOptions options() {
        return WebhookOptions.signedWith(WebhookOptions.newSecret()).withAllowedHosts("localhost:" + port());
    }

    WebhookSink sink() {
        return WebhookSink.to(url("http"), options());
    }

    private void accept() {
        while (true) {
            try {
                Socket socket = server.accept();
                sockets.add(socket);
                int number = connections.incrementAndGet();
                thread(() -> play(socket, number));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void play(Socket socket, int number) {
        try (socket) {
            script.play(new Talk(socket, number));
        } catch (Exception e) {
            return; // the other side has gone, and that is what most of these tests are about
        }
    }

    private static void thread(Runnable work) {
        Thread thread = new Thread(work, "raw-endpoint");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}

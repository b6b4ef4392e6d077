package io.postrider.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** A connection on which a test says what no HTTP client would say. */
final class RawHttp implements AutoCloseable {
    final Socket socket;

    private RawHttp(Socket socket) {
        this.socket = socket;
    }

    static RawHttp to(LiveServer server) throws IOException {
        return from("127.0.0.1", server);
    }

    static RawHttp from(String address, LiveServer server) throws IOException {
        return from(address, server.port());
    }

    static RawHttp from(String address, int port) throws IOException {
        Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port, InetAddress.getByName(address), 0);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(20_000);
        return new RawHttp(socket);
    }

    /** One byte for each character. */
    RawHttp send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        return this;
    }

    /** Everything up to and including this text. */
    String readUntil(String end) throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.indexOf(end) < 0) {
            int c = socket.getInputStream().read();
            if (c < 0) {
                throw new IOException("closed after " + text);
            }
            text.append((char) c);
        }
        return text.toString();
    }

    /** Everything until the server closes the connection; fails if it stays open. */
    String readToEnd() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            InputStream in = socket.getInputStream();
            for (int c = in.read(); c >= 0; c = in.read()) {
                bytes.write(c);
            }
        } catch (SocketTimeoutException e) {
            throw new IOException("still open after " + bytes, e);
        } catch (SocketException e) {
            // reset: there were bytes that the server did not want to read
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

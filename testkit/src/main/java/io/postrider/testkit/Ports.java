package io.postrider.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for servers that a test starts, stops and starts again at the same place. */
public final class Ports {

    private Ports() {}

    /**
     * One that nobody listens at. Below those that the system gives to clients, which begin at 32768: one of them must not
     * sit on it while the server is away, nor a client that knocks there reach itself.
     */
    public static int free() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(15_000, 32_000);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                // somebody has it
            }
        }
    }
}

package io.postrider.server;

import io.postrider.server.settings.Keyring;
import io.postrider.support.ServerProgram;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code postrider serve}. */
public final class ServeProgram implements ServerProgram {
    private static final Logger log = LoggerFactory.getLogger(ServeProgram.class);

    @Override
    public int run(Consumer<String> say, Map<String, String> settings) {
        long began = System.nanoTime();
        Server server = Server.start(settings);
        log.info("server_started port={} took_ms={}", server.port(), (System.nanoTime() - began) / 1_000_000);
        server.bean(Keyring.class).development().ifPresent(token -> printDevelopmentToken(say, server.port(), token));
        awaitEnd(server);
        return 0;
    }

    /** Printed on the terminal and not logged: a token is a secret, even a temporary one. */
    private static void printDevelopmentToken(Consumer<String> say, int port, String token) {
        log.warn("development_key no key is configured (postrider.auth.secrets, postrider.auth.public-keys): only this"
                + " machine can connect, with tokens signed by a key that is lost when the server ends");
        say.accept("");
        say.accept(
                "  DEVELOPMENT KEY: no key is configured. Operator token, valid for 12 hours or until this server ends:");
        say.accept("");
        say.accept("  export TOKEN=" + token);
        say.accept("  curl -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: application/json' \\");
        say.accept("    -d '{\"type\":\"order.placed\",\"payload\":{\"order\":1}}' http://127.0.0.1:" + port
                + "/v1/topics/orders/events");
        say.accept("");
        say.accept("  To issue tokens for a project or a user with your own key: postrider token --help");
        say.accept("");
    }

    /** A signal ends the process, and its shutdown hook closes the server. */
    private static void awaitEnd(Server server) {
        CountDownLatch never = new CountDownLatch(1);
        try {
            never.await();
        } catch (InterruptedException e) {
            server.close();
        }
    }
}

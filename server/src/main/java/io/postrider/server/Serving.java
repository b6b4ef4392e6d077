package io.postrider.server;

import io.postrider.cli.Terminal;
import io.postrider.cli.serve.ServerProgram;
import io.postrider.server.settings.Keyring;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code postrider serve}. */
public final class Serving implements ServerProgram {
    private static final Logger log = LoggerFactory.getLogger(Serving.class);

    @Override
    public int run(Terminal terminal, Map<String, String> settings) {
        long began = System.nanoTime();
        Server server = Server.start(settings);
        log.info("server_started port={} took_ms={}", server.port(), (System.nanoTime() - began) / 1_000_000);
        server.bean(Keyring.class).development().ifPresent(token -> invite(terminal, server.port(), token));
        awaitEnd(server);
        return 0;
    }

    /** To the person at the terminal, not to the log: a token is a secret, even one that is gone tomorrow. */
    private static void invite(Terminal terminal, int port, String token) {
        log.warn("development_key no key is configured (postrider.auth.secrets, postrider.auth.public-keys): only this"
                + " machine can connect, with tokens of a key that is gone when the server ends");
        terminal.say("");
        terminal.say(
                "  DEVELOPMENT KEY: no key is configured. An operator's token, good for 12 hours or until this ends:");
        terminal.say("");
        terminal.say("  export TOKEN=" + token);
        terminal.say("  curl -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: application/json' \\");
        terminal.say("    -d '{\"type\":\"order.placed\",\"payload\":{\"order\":1}}' http://127.0.0.1:" + port
                + "/v1/topics/orders/events");
        terminal.say("");
        terminal.say("  Tokens of a project or a user, by a key of your own: postrider token --help");
        terminal.say("");
    }

    /** The process is ended by a signal, and its hook closes the server. */
    private static void awaitEnd(Server server) {
        CountDownLatch never = new CountDownLatch(1);
        try {
            never.await();
        } catch (InterruptedException e) {
            server.close();
        }
    }
}

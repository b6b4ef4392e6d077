package io.postrider.server;

import io.postrider.CodedException;
import io.postrider.Fate;
import io.postrider.Listener;
import io.postrider.RetryPolicy;
import io.postrider.Worker;
import java.time.Duration;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A server with an application of its own, as a process: what it logs is what an operator's log search gets. */
final class LinesServer {
    private LinesServer() {}

    @Configuration(proxyBeanMethods = false)
    static class Work {
        @Bean
        Worker mail() {
            return Worker.on("mail")
                    .handling("receipt", job -> Fate.done())
                    .handling("flaky", job -> job.attempt() == 1 ? Fate.retry("busy", "try later") : Fate.done())
                    .withRetry("flaky", RetryPolicy.table(Duration.ZERO))
                    .handling("hopeless", job -> {
                        throw new CodedException("no_such_address", "nobody\nlives there");
                    })
                    .withRetry("hopeless", RetryPolicy.never());
        }

        @Bean
        Listener ledger() {
            return Listener.relay("ledger", "orders", event -> {
                        if (event.type().equals("bad")) {
                            throw new CodedException("out_of_stock", "none left");
                        }
                    })
                    .withAttempts(2)
                    .withBackoff(Duration.ofMillis(1), Duration.ofMillis(1));
        }
    }

    /** Takes the address of the database, a secret for tokens and, if it is not to be the default, the rate of lines. */
    public static void main(String[] arguments) {
        Map<String, String> settings = new java.util.LinkedHashMap<>();
        settings.put("postrider.database-url", arguments[0]);
        settings.put("postrider.auth.secrets.mint", arguments[1]);
        settings.put("postrider.http.port", "0");
        settings.put("postrider.node", "node-1");
        settings.put("postrider.gateway.topics", "orders");
        if (arguments.length > 2) {
            settings.put("postrider.log-rate", arguments[2]);
        }
        Server server = Server.start(settings, Work.class);
        System.out.println("ready " + server.port());
    }
}

package io.postrider.bench.realtime;

import io.postrider.admin.Watch;
import io.postrider.bench.realtime.Answers.Skill;
import io.postrider.gateway.Identity;
import io.postrider.gateway.TokenMint;
import io.postrider.server.Server;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The process of {@link GatewayWay}: the real server in its role gateway, which follows the log and sequences it. */
public final class GatewayMain implements Skill {
    private static final String ISSUER = "postrider";
    private static final Duration LASTING = Duration.ofHours(12);

    private final Map<String, String> settings = new HashMap<>();

    private GatewayMain(String url, String user, String password) {
        settings.put("spring.datasource.url", plain(url));
        if (!user.isEmpty()) {
            settings.put("spring.datasource.username", user);
            settings.put("spring.datasource.password", password);
        }
        settings.put("postrider.roles", "gateway");
        settings.put("postrider.http.port", "0");
        settings.put("postrider.gateway.topics", Messages.TOPIC);
        settings.put("postrider.gateway.connections-of-one", "10000");
    }

    public static void main(String[] args) throws Exception {
        Answers answers = new Answers();
        answers.serve(new GatewayMain(answers.told(), answers.told(), answers.told()));
    }

    /** The driver's data source includes every parameter in the URL, even those that the server refuses. */
    private static String plain(String url) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url);
        String ssl = source.getSslmode();
        return "jdbc:postgresql://" + source.getServerNames()[0] + ":" + source.getPortNumbers()[0] + "/"
                + source.getDatabaseName() + (ssl == null ? "" : "?sslmode=" + ssl);
    }

    @Override
    public String answer(String[] words) {
        return switch (words[0]) {
            case "start" -> start();
            case "passes" -> Beans.WATCH.passes();
            case "moves" -> Beans.WATCH.moves();
            default -> throw new IllegalArgumentException("no such command: " + words[0]);
        };
    }

    /** The port, and a token for the room. */
    private String start() {
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        String secret = HexFormat.of().formatHex(random);
        settings.put("postrider.auth.secrets.mint", secret);
        Server server = Server.start(settings, Beans.class);
        String token = TokenMint.of(ISSUER, ISSUER, secret.getBytes(StandardCharsets.UTF_8))
                .issue("viewer", Messages.PROJECT, Identity.Reach.PROJECT, LASTING);
        return server.port() + " " + token;
    }

    /** Beside the server's own. */
    @Configuration(proxyBeanMethods = false)
    static class Beans {
        static final SequencerWatch WATCH = new SequencerWatch();

        @Bean
        Watch sequencerWatch() {
            return WATCH;
        }
    }

    /** What the node's sequencer did since the last query. */
    private static final class SequencerWatch implements Watch {
        private final Histogram passes = new Histogram(3);
        private final StringBuilder moves = new StringBuilder();
        private long woken;

        @Override
        public synchronized void sequenced(long events, Duration took) {
            passes.recordValue(Math.max(1, took.toNanos()));
        }

        @Override
        public synchronized void notified(String what) {
            woken += what.equals("event") ? 1 : 0;
        }

        @Override
        public synchronized void headMoved(String topic, long position) {
            moves.append(position).append(' ').append(System.nanoTime()).append(' ');
        }

        /** The median in milliseconds, the number of passes, and the number of wake-ups. */
        synchronized String passes() {
            long count = passes.getTotalCount();
            String text = (count == 0 ? 0 : passes.getValueAtPercentile(50) / 1e6) + " " + count + " " + woken;
            passes.reset();
            woken = 0;
            return text;
        }

        /** Position and time, alternating. */
        synchronized String moves() {
            String text = moves.toString().strip();
            moves.setLength(0);
            return text;
        }
    }
}

package io.postrider.bench.realtime;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.postrider.bench.process.ChildProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The code one would write without Postrider: PUBLISH, and a subscriber that writes to every client. Timed from before the
 * PUBLISH, which is when such an application's commit() has returned.
 */
final class BareWay implements Way {
    static final String CHANNEL = "messages";

    private static final int CONNECT_SECONDS = 30;

    private final ChildProcess server;
    private final int port;
    private final StatefulRedisConnection<String, String> connection;
    private final Opened opened;

    private BareWay(Opened opened) throws IOException, InterruptedException {
        this.opened = opened;
        Redis redis = opened.keep(Redis.start());
        RedisClient client = RedisClient.create(uri(redis.port()));
        opened.keep(() -> client.shutdown(0, 1, TimeUnit.SECONDS));
        this.connection = connect(client);
        Scratch container = opened.keep(Scratch.create("tomcat"));
        this.server = opened.keep(ChildProcess.start(
                BareMain.class,
                "1g",
                List.of(container.directory().toString()),
                List.of(Integer.toString(redis.port()))));
        this.port = Integer.parseInt(server.ask("start"));
    }

    static BareWay open() throws IOException, InterruptedException {
        Opened opened = new Opened();
        try {
            return new BareWay(opened);
        } catch (IOException | InterruptedException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    static RedisURI uri(int port) {
        return RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(port)
                .withTimeout(Duration.ofSeconds(CONNECT_SECONDS))
                .build();
    }

    /** It has just been started. */
    private static StatefulRedisConnection<String, String> connect(RedisClient client) throws InterruptedException {
        long began = System.nanoTime();
        while (true) {
            try {
                return client.connect();
            } catch (RedisConnectionException e) {
                if (System.nanoTime() - began > TimeUnit.SECONDS.toNanos(CONNECT_SECONDS)) {
                    throw new IllegalStateException("Redis does not answer", e);
                }
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    @Override
    public String request() {
        return "/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream";
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public ChildProcess server() {
        return server;
    }

    @Override
    public long send(long turn, int number) {
        String json = Messages.json(turn, number);
        long now = System.nanoTime();
        connection.sync().publish(CHANNEL, json);
        return now;
    }

    @Override
    public void sendAll(long turn, int from, int to) throws Exception {
        List<Future<Long>> sent = new ArrayList<>();
        for (int number = from; number < to; number++) {
            sent.add(connection.async().publish(CHANNEL, Messages.json(turn, number)));
        }
        for (Future<Long> one : sent) {
            one.get(CONNECT_SECONDS, TimeUnit.SECONDS);
        }
    }

    @Override
    public void close() {
        opened.close();
    }
}

package io.postrider.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.postrider.testkit.program.RedisProcess;
import java.util.function.Function;

/** A Redis process, and how we are to talk to it. */
record RealRedis(RedisProcess process) implements AutoCloseable {
    private static final RedisClient OPERATOR = RedisClient.create(); // its threads are daemons

    /** Started, with more settings such as {@code --maxmemory}, {@code 2mb}. */
    static RealRedis running(String... settings) {
        return new RealRedis(RedisProcess.running(settings));
    }

    int port() {
        return process.port();
    }

    RedisOptions options() {
        return RedisOptions.at("127.0.0.1", port());
    }

    void start() {
        process.start();
    }

    void kill9() {
        process.kill9();
    }

    void freeze() {
        process.freeze();
    }

    void thaw() {
        process.thaw();
    }

    /** As an operator would with redis-cli. */
    <T> T cli(Function<RedisCommands<String, String>, T> command) {
        return cli(options(), command);
    }

    <T> T cli(String password, Function<RedisCommands<String, String>, T> command) {
        return cli(options().withPassword(password), command);
    }

    private <T> T cli(RedisOptions options, Function<RedisCommands<String, String>, T> command) {
        try (StatefulRedisConnection<String, String> connection = OPERATOR.connect(options.uri("operator"))) {
            return command.apply(connection.sync());
        }
    }

    @Override
    public void close() {
        process.close();
    }
}

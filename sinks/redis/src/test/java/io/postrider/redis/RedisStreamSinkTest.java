package io.postrider.redis;

import io.lettuce.core.Range;
import io.postrider.Sink;
import io.postrider.sinks.suite.Arrived;
import io.postrider.sinks.suite.Place;
import io.postrider.sinks.suite.SinkSuite;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;

/** The suite of every sink, on a stream of a Redis that is killed and comes back with its data. */
@Tag("slow")
class RedisStreamSinkTest extends SinkSuite {
    @Override
    protected Place place() {
        return new Stream();
    }

    private static final class Stream implements Place {
        private final String password = UUID.randomUUID().toString();
        private final RealRedis redis = RealRedis.running("--requirepass", password);

        @Override
        public Sink open() {
            return new RedisStreamSink(redis.options().withPassword(password), "events");
        }

        @Override
        public List<Arrived> arrived() {
            return redis.cli(password, cli -> cli.xrange("events", Range.unbounded())).stream()
                    .map(message -> arrived(message.getBody()))
                    .toList();
        }

        private static Arrived arrived(Map<String, String> fields) {
            return new Arrived(
                    fields.get("topic"),
                    Long.parseLong(fields.get("position")),
                    UUID.fromString(fields.get("id")),
                    fields.get("type"),
                    fields.get("partitionkey"),
                    fields.get("data"));
        }

        @Override
        public void goAway() {
            redis.kill9();
        }

        @Override
        public void comeBack() {
            redis.start();
        }

        @Override
        public boolean tells() {
            return true;
        }

        @Override
        public List<String> secrets() {
            return List.of(password);
        }

        @Override
        public void close() {
            redis.close();
        }
    }
}

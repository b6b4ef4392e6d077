package io.postrider.redis;

import io.postrider.LogEvent;
import io.postrider.Sink;
import io.postrider.sinks.suite.Arrived;
import io.postrider.sinks.suite.Place;
import io.postrider.sinks.suite.SinkSuite;
import io.postrider.testkit.Await;
import io.postrider.testkit.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;

/** The suite of every sink, on a channel that somebody listens to. */
@Tag("slow")
class RedisPubSubSinkTest extends SinkSuite {
    @Override
    protected Place place() {
        return new Channel();
    }

    /** The sink reaches Redis by a proxy that opens when the listener is there: before that, a channel loses. */
    private static final class Channel implements Place {
        private final String secret = UUID.randomUUID().toString();
        private final RealRedis redis = RealRedis.running();
        private final TcpProxy proxy = TcpProxy.to(redis.port());
        private final List<String> heard = new CopyOnWriteArrayList<>();
        private @Nullable Subscription subscription;

        Channel() {
            listen();
        }

        private void listen() {
            Subscription listening = new Subscription(redis.options(), RedisPubSubSink.CHANNEL, heard::add, on -> {});
            listening.start();
            Await.until("somebody listens", Duration.ofSeconds(30), listening::isListening);
            subscription = listening;
        }

        @Override
        public Sink open() {
            return new RedisPubSubSink(
                    RedisOptions.at("127.0.0.1", proxy.port()).withChannelSecret(secret));
        }

        @Override
        public List<Arrived> arrived() {
            return heard.stream()
                    .map(text -> arrived(EnvelopeText.read(text).orElseThrow()))
                    .toList();
        }

        private static Arrived arrived(LogEvent event) {
            return new Arrived(event.topic(), event.position(), event.id(), event.type(), event.key(), event.payload());
        }

        @Override
        public void goAway() {
            proxy.refuse();
            proxy.cutAll();
            redis.kill9();
        }

        @Override
        public void comeBack() {
            redis.start();
            subscription.close();
            listen();
            proxy.accept();
        }

        @Override
        public boolean tells() {
            return false;
        }

        @Override
        public List<String> secrets() {
            return List.of(secret);
        }

        @Override
        public void close() {
            subscription.close();
            proxy.close();
            redis.close();
        }
    }
}

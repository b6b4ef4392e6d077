package io.postrider.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.TestRun;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A relay under load, and a broker of its own that comes and goes. Nothing may be lost, and nothing be there twice. */
@Tag("slow")
@Timeout(900)
class KafkaOutageTest {
    /** A multiple of 4, so that each kind of outage occurs with each duration. */
    private static final int ROUNDS = TestRun.count(4, 20);

    private static final int FREEZES = TestRun.count(2, 6);

    private static final Duration PAUSE = Duration.ofMillis(10);

    @Test
    void a_relay_under_load_while_the_broker_is_stopped_and_started_loses_nothing_and_repeats_nothing()
            throws Exception {
        try (Broker broker = Broker.startedOfMany()) {
            String topic = broker.topic("restarts", 3);
            ride(broker, topic, orders -> {
                int noticed = 0;
                for (int round = 0; round < ROUNDS; round++) {
                    awaitProgress(orders);
                    if (round % 2 == 0) {
                        broker.kill9();
                    } else {
                        broker.stop();
                    }
                    if (round % 4 >= 2) { // longer than the client itself tries: the sink has to find out what is there
                        awaitState(orders, "unavailable");
                        noticed++;
                    }
                    broker.start();
                }
                assertThat(noticed).isEqualTo(ROUNDS / 2);
            });
        }
    }

    @Test
    void a_broker_that_stands_still_for_longer_than_the_sink_waits_takes_nothing_twice_when_it_goes_on()
            throws Exception {
        try (Broker broker = Broker.started()) {
            String topic = broker.topic("freezes", 3);
            ride(broker, topic, orders -> {
                for (int round = 0; round < FREEZES; round++) {
                    awaitProgress(orders);
                    broker.freeze();
                    awaitState(orders, "unavailable");
                    broker.resume();
                }
            });
        }
    }

    private interface Trouble {
        void make(Orders orders) throws Exception;
    }

    private static void ride(Broker broker, String topic, Trouble trouble) throws Exception {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (Orders orders = new Orders();
                KafkaSink sink = KafkaSink.to(topic, broker.options().withDeliveryTimeout(Duration.ofSeconds(3)))) {
            orders.postrider().add(Orders.relay(sink)).start();
            Future<?> load = threads.submit(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    orders.emit(20);
                    LockSupport.parkNanos(PAUSE.toNanos());
                }
                return null;
            });
            trouble.make(orders);
            assertThat(load.isDone()).as("the load went on").isFalse();
            threads.shutdownNow();
            assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
            orders.awaitCursor(orders.emitted());
            orders.assertAllOnceAndInOrder(broker, topic);
        } finally {
            threads.shutdownNow();
        }
    }

    private static void awaitProgress(Orders orders) {
        orders.awaitCursor(orders.status().position() + 500);
    }

    private static void awaitState(Orders orders, String state) {
        Await.until(
                "the relay is " + state,
                Orders.LONG,
                () -> orders.status().state().equals(state));
    }
}

package io.postrider.kafka;

import static io.postrider.kafka.Topics.EPOCH;
import static io.postrider.kafka.Topics.events;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.MessageFormat;
import io.postrider.SendResult;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SendingTest {
    /** As a real one that waits for its number as a producer, and has been seen to by minutes: it flushes until it is closed. */
    private static final class Stuck extends MockProducer<byte[], byte[]> {
        private final CountDownLatch closed = new CountDownLatch(1);

        Stuck() {
            super(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        public void flush() {
            try {
                closed.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close(Duration timeout) {
            while (errorNext(new KafkaException("closed"))) {
                // the next one
            }
            closed.countDown();
        }
    }

    @Test
    @Timeout(60)
    void a_client_that_keeps_its_records_for_longer_than_it_should_is_closed_and_the_sink_is_unavailable()
            throws Exception {
        Sending sending = new Sending(new Stuck(), Duration.ofMillis(50));
        SendResult receipt = sending.send(new Records("orders", EPOCH, MessageFormat.CLOUD_EVENTS), events(1, 10));
        assertThat(receipt.isUnavailable()).isTrue();
        assertThat(receipt.taken()).isZero();
        assertThat(sending.isProducerBroken()).isTrue();
    }
}

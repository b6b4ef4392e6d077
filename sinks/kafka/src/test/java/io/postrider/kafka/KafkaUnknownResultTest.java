package io.postrider.kafka;

import static io.postrider.kafka.Topics.EPOCH;
import static io.postrider.kafka.Topics.event;
import static io.postrider.kafka.Topics.events;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.LogEvent;
import io.postrider.SendResult;
import io.postrider.testkit.TcpProxy;
import io.postrider.testkit.TcpProxy.Cut;
import io.postrider.testkit.TcpProxy.Direction;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The network between sink and broker breaks where it hurts most: between the record and its answer. */
@Tag("slow")
class KafkaUnknownResultTest {
    private static final Broker BROKER = Broker.shared();
    private static final TcpProxy PROXY = BROKER.proxy();
    private static final KafkaOptions OPTIONS = BROKER.optionsBehindProxy()
            .withLogin("PLAIN", Broker.USER, Broker.PASSWORD)
            .withDeliveryTimeout(Duration.ofSeconds(6));

    @AfterEach
    void repair() {
        PROXY.accept();
        PROXY.resume();
    }

    @Test
    void an_answer_that_is_lost_once_is_asked_for_again_and_nothing_is_there_twice() throws Exception {
        String topic = BROKER.topic("answer-lost", 1);
        try (KafkaSink sink = KafkaSink.to(topic, OPTIONS)) {
            assertThat(sink.send(EPOCH, events(1, 10)).isWhole()).isTrue();
            int cuts = PROXY.cuts();
            PROXY.cutAt(Direction.TO_SERVER, "mark-of-12", Cut.AFTER);
            List<LogEvent> events = List.of(event(11, "k"), event(12, "k", "\"mark-of-12\""));
            assertThat(sink.send(EPOCH, events).isWhole()).isTrue();
            assertThat(PROXY.cuts()).as("connections cut").isEqualTo(cuts + 1);
        }
        assertThat(Topics.positions(BROKER, topic))
                .isEqualTo(LongStream.rangeClosed(1, 12).boxed().toList());
    }

    @Test
    void records_whose_answers_never_come_are_found_by_holds_and_the_next_send_goes_through() throws Exception {
        String topic = BROKER.topic("never-answered", 1);
        List<LogEvent> events = List.of(event(11, "k"), event(12, "k"), event(13, "k", "\"mark-of-13\""));
        try (KafkaSink sink = KafkaSink.to(topic, OPTIONS)) {
            assertThat(sink.send(EPOCH, events(1, 10)).isWhole()).isTrue();
            int cuts = PROXY.cuts();
            PROXY.refuse(); // no new connection, and the old one is cut when the broker has the last record
            PROXY.cutAt(Direction.TO_SERVER, "mark-of-13", Cut.AFTER);
            SendResult receipt = sink.send(EPOCH, events);
            assertThat(receipt.isUnavailable()).isTrue();
            assertThat(receipt.taken()).isZero();
            assertThat(PROXY.cuts()).as("connections cut").isGreaterThan(cuts);
            PROXY.accept();
            assertThat(sink.holds(EPOCH, 10))
                    .isEqualTo(events.stream().collect(Collectors.toMap(LogEvent::position, LogEvent::id)));
            assertThat(sink.send(EPOCH, events(14, 30)).isWhole()).isTrue();
        }
        assertThat(Topics.positions(BROKER, topic))
                .isEqualTo(LongStream.rangeClosed(1, 30).boxed().toList());
    }

    @Test
    void records_that_never_left_are_not_held() throws Exception {
        String topic = BROKER.topic("never-left", 3);
        try (KafkaSink sink = KafkaSink.to(topic, OPTIONS)) {
            assertThat(sink.send(EPOCH, events(1, 10)).isWhole()).isTrue();
            PROXY.refuse();
            PROXY.cutAll();
            SendResult receipt = sink.send(EPOCH, events(11, 20));
            assertThat(receipt.isUnavailable()).isTrue();
            PROXY.accept();
            assertThat(sink.holds(EPOCH, 10)).isEmpty();
            assertThat(sink.send(EPOCH, events(11, 20)).isWhole()).isTrue();
        }
        assertThat(Topics.positions(BROKER, topic)).hasSize(20).doesNotHaveDuplicates();
    }

    /** No answer arrives until the interrupt was seen; a send whose answers were already there would be complete. */
    @Test
    void an_interrupted_send_is_unavailable_and_the_next_one_works() throws Exception {
        String topic = BROKER.topic("interrupted", 1);
        try (KafkaSink sink = KafkaSink.to(topic, OPTIONS)) {
            assertThat(sink.send(EPOCH, events(1, 10)).isWhole()).isTrue();
            PROXY.hold(Direction.TO_CLIENT);
            Thread.currentThread().interrupt();
            SendResult receipt = sink.send(EPOCH, events(11, 20));
            assertThat(Thread.interrupted()).isTrue();
            assertThat(receipt.isUnavailable()).isTrue();
            assertThat(receipt.taken()).isZero();
            PROXY.resume();
            assertThat(sink.send(EPOCH, events(21, 30)).isWhole()).isTrue();
        }
    }
}

package io.postrider.gateway.internal.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.gateway.DisconnectReason;
import io.postrider.gateway.Transport.Form;
import io.postrider.gateway.internal.frames.EncodedFrame;
import io.postrider.gateway.internal.frames.FrameEncoder;
import org.junit.jupiter.api.Test;

/** What a connection is told when it is cut: a position after which it has missed something, and none before. */
class OutboxTest {
    private static final int FRAMES = 4;

    private final Outbox outbox = new Outbox(Form.SSE, 1_000_000, FRAMES);

    private long cut() {
        EncodedFrame last = outbox.next();
        assertThat(last).isNotNull();
        assertThat(last.last()).isNotNull();
        return last.position();
    }

    private boolean offer(long position) {
        return outbox.offer(FrameEncoder.position(Form.SSE, position));
    }

    @Test
    void who_has_taken_all_is_as_far_as_the_hub_is() {
        outbox.begin(0);
        offer(1);
        outbox.next();
        assertThat(outbox.cut(DisconnectReason.CLOSING, 9)).isTrue();
        assertThat(cut()).isEqualTo(9);
        assertThat(outbox.next()).isNull();
    }

    @Test
    void who_has_not_taken_all_is_where_it_took_the_last() {
        outbox.begin(0);
        offer(1);
        offer(2);
        outbox.next();
        outbox.cut(DisconnectReason.SLOW, 9);
        assertThat(cut()).isEqualTo(1);
    }

    /** The hub decides to cut, goes on with others, and meanwhile the writer takes everything: the event that was refused is not there. */
    @Test
    void who_was_refused_an_event_and_then_took_all_has_not_got_that_event() {
        outbox.begin(0);
        long position = 1;
        while (offer(position)) {
            position++;
        }
        long refused = position;
        for (int i = 1; i < refused; i++) {
            outbox.next();
        }
        outbox.cut(DisconnectReason.SLOW, refused);
        assertThat(cut()).isEqualTo(refused - 1);
    }

    @Test
    void who_has_been_sent_what_is_not_in_the_log_any_more_begins_anew() {
        outbox.begin(500);
        offer(501);
        outbox.next();
        outbox.cutAstray(DisconnectReason.BEHIND);
        assertThat(cut()).isEqualTo(0);
    }
}

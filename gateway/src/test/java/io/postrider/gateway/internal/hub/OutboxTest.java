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
    void a_client_that_received_everything_resumes_at_the_hubs_position() {
        outbox.begin(0);
        offer(1);
        outbox.next();
        assertThat(outbox.cut(DisconnectReason.CLOSING, 9)).isTrue();
        assertThat(cut()).isEqualTo(9);
        assertThat(outbox.next()).isNull();
    }

    @Test
    void a_client_that_is_behind_resumes_after_its_last_frame() {
        outbox.begin(0);
        offer(1);
        offer(2);
        outbox.next();
        outbox.cut(DisconnectReason.SLOW, 9);
        assertThat(cut()).isEqualTo(1);
    }

    /** The hub decides to cut, goes on with others, and meanwhile the writer takes everything: the event that was refused is not there. */
    @Test
    void a_client_resumes_before_an_event_that_did_not_fit() {
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
    void a_client_ahead_of_a_replaced_log_resumes_from_the_beginning() {
        outbox.begin(500);
        offer(501);
        outbox.next();
        outbox.cutAstray(DisconnectReason.BEHIND);
        assertThat(cut()).isEqualTo(0);
    }
}

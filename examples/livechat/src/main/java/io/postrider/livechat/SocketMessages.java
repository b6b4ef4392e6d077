package io.postrider.livechat;

import io.postrider.PostriderException;
import io.postrider.gateway.Inbound;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Messages that come in over the gateway's WebSocket: {@code {"text":…,"conversation":…,"pilot":…}}, acknowledged one by one. */
final class SocketMessages implements Inbound {
    private static final Duration SOON = Duration.ofSeconds(1);

    private final Submissions submissions;
    private final JsonMapper json = JsonMapper.builder().build();

    SocketMessages(Submissions submissions) {
        this.submissions = submissions;
    }

    /** The data of a message; its id is the frame's. */
    record Data(
            @Nullable String text,
            @Nullable UUID conversation,
            @Nullable Boolean pilot) {}

    @Override
    public String accept(Message message) {
        try {
            Guest guest = Guest.of(message.identity()).orElseThrow(Refusal::unauthorized);
            Data data = json.readValue(message.data(), Data.class);
            Submissions.Said said = new Submissions.Said(message.id(), data.text(), data.conversation(), data.pilot());
            return json.writeValueAsString(
                    submissions.accept(guest, List.of(said)).get(0));
        } catch (Refusal refusal) {
            throw translated(refusal);
        } catch (JacksonException e) {
            throw io.postrider.gateway.Refusal.badRequest("the data of a message is text, conversation and pilot");
        } catch (PostriderException e) {
            if (e.kind() == PostriderException.Kind.REFUSED) {
                throw io.postrider.gateway.Refusal.badRequest(String.valueOf(e.getMessage()));
            }
            throw e;
        }
    }

    private static io.postrider.gateway.Refusal translated(Refusal refusal) {
        String detail = String.valueOf(refusal.getMessage());
        return switch (refusal.status()) {
            case 401 -> io.postrider.gateway.Refusal.of(io.postrider.gateway.Refusal.Why.UNAUTHORIZED, detail);
            case 403 -> io.postrider.gateway.Refusal.of(io.postrider.gateway.Refusal.Why.FORBIDDEN, detail);
            case 429 ->
                io.postrider.gateway.Refusal.tooMany(detail, Duration.ofSeconds(Math.max(1, refusal.retryAfter())));
            case 503 -> io.postrider.gateway.Refusal.unavailable(detail, SOON);
            default -> io.postrider.gateway.Refusal.badRequest(detail);
        };
    }
}

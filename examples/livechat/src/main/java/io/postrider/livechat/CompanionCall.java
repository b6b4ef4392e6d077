package io.postrider.livechat;

import io.postrider.Handler;
import io.postrider.Job;
import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.Postrider;
import io.postrider.StartPoint;
import io.postrider.jackson.JacksonMapper;
import java.sql.Connection;

/**
 * The listener {@code companion}: for each message by a visitor it enqueues a job for the companion. The job and the listener's
 * cursor commit in one transaction, so each message calls the companion exactly once, however often this process dies.
 */
final class CompanionCall implements Handler.Transactional {
    private final Postrider postrider;
    private final JacksonMapper mapper;

    CompanionCall(Postrider postrider, JacksonMapper mapper) {
        this.postrider = postrider;
        this.mapper = mapper;
    }

    /** From the beginning: a message that was sent before this listener first ran gets an answer, too. */
    Listener listener() {
        return Listener.transactional("companion", LiveChat.TOPIC, this)
                .withTypes(LiveChat.CREATED)
                .withStart(StartPoint.beginning());
    }

    @Override
    public void handle(Connection connection, LogEvent event) throws Exception {
        Message message = mapper.read(event.payload(), Message.class);
        if (message.author().kind() != Author.Kind.VISITOR) {
            return;
        }
        // The answers of one conversation are sent in order; messages that are only counted need no order.
        String key = message.pilot() ? null : event.key();
        postrider.enqueue(
                connection,
                Job.of(LiveChat.COMPANION, "reply", event.payload())
                        .withKey(key)
                        .withProject(event.projectId())
                        .withUser(event.userId()));
    }
}

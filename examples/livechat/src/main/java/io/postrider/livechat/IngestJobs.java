package io.postrider.livechat;

import io.postrider.Job;
import io.postrider.jackson.JacksonMapper;
import java.time.Instant;

/** The job that saves a message, from the queue or from a stream. */
record IngestJobs(JacksonMapper mapper) {
    Job of(NewMessage message) {
        return of(message, mapper.write(message));
    }

    /** Creates the job from the JSON that {@link #json} returned. */
    Job of(String json, Instant accepted) {
        return of(mapper.read(json, NewMessage.class).acceptedAt(accepted));
    }

    String json(NewMessage message) {
        return mapper.write(message);
    }

    /** Identifies a message among the messages of all authors. */
    static String idOf(NewMessage message) {
        return message.author().kind().text() + "/" + message.author().id() + "/" + message.client();
    }

    /**
     * If a message is sent again while its job is unfinished, the unique key returns the existing job. After that, the
     * message's row prevents a duplicate.
     */
    private static Job of(NewMessage message, String json) {
        return Job.of(LiveChat.INGEST, "ingest", json)
                .withKey(message.author().id())
                .withUnique(idOf(message))
                .withProject(message.project())
                .withUser(message.author().id());
    }
}

package io.postrider.livechat;

import io.postrider.Job;
import io.postrider.jackson.JacksonMapper;

/** The job that saves a message, whichever way the message came. */
record IngestJobs(JacksonMapper mapper) {
    Job of(NewMessage message) {
        return of(message, mapper.write(message));
    }

    /** Of the JSON that {@link #json} made. */
    Job of(String json) {
        return of(mapper.read(json, NewMessage.class), json);
    }

    String json(NewMessage message) {
        return mapper.write(message);
    }

    /** What tells a message from all others, of whomever. */
    static String idOf(NewMessage message) {
        return message.author().kind().text() + "/" + message.author().id() + "/" + message.client();
    }

    /**
     * The unique key takes a message that is sent again while its job waits for the job that it is. Later than that, it is the
     * message's row that tells.
     */
    private static Job of(NewMessage message, String json) {
        return Job.of(LiveChat.INGEST, "ingest", json)
                .withKey(message.author().id())
                .withUnique(idOf(message))
                .withProject(message.project())
                .withUser(message.author().id());
    }
}

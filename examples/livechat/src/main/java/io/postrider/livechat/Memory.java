package io.postrider.livechat;

import org.jspecify.annotations.Nullable;

/**
 * What the companion remembers of a conversation.
 *
 * @param counted number of messages that it was called for
 * @param replies number of answers that it gave
 * @param called the name that the visitor asked for
 * @param lastIntent the topic of its last answer, so that it does not repeat itself
 */
record Memory(
        long counted,
        long replies,
        @Nullable String called,
        @Nullable String lastIntent) {

    Memory counting() {
        return new Memory(counted + 1, replies, called, lastIntent);
    }

    Memory answering(String intent) {
        return new Memory(counted, replies + 1, called, intent);
    }

    Memory calling(String name) {
        return new Memory(counted, replies, name, lastIntent);
    }
}

package io.postrider.livechat;

import org.jspecify.annotations.Nullable;

/**
 * What the companion remembers of a conversation.
 *
 * @param counted messages that it was called for
 * @param replies answers that it gave
 * @param called what the visitor wants to be called
 * @param lastIntent what its last answer was about, so that it does not say the same twice
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

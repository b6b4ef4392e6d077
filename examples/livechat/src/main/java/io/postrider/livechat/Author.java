package io.postrider.livechat;

import java.util.Locale;

/** The author of a message. */
record Author(Kind kind, String id, String name) {
    /** The kind of author. */
    enum Kind {
        VISITOR,
        AGENT,
        COMPANION;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Kind of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }
    }

    static final Author COMPANION = new Author(Kind.COMPANION, "companion", "Pip");
}

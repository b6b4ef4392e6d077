package io.postrider.cli;

import io.postrider.listen.DeadLetters;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Which dead letters. */
@Command
final class DeadLetterFilter {
    @Option(names = "--listener", paramLabel = "NAME", description = "Of this listener.")
    private @Nullable String listener;

    @Option(names = "--topic", paramLabel = "NAME", description = "Of this topic.")
    private @Nullable String topic;

    @Option(names = "--type", paramLabel = "TYPE", description = "Of this type of event.")
    private @Nullable String type;

    @Option(names = "--key", paramLabel = "KEY", description = "Of this key.")
    private @Nullable String key;

    @Option(names = "--error", paramLabel = "TEXT", description = "Whose error contains this.")
    private @Nullable String error;

    boolean isEmpty() {
        return listener == null && topic == null && type == null && key == null && error == null;
    }

    /** Refuses names that cannot exist: a typing error must not look like an empty result. */
    DeadLetters.Filter filter() {
        if (listener != null) {
            Names.listener(listener);
        }
        if (topic != null) {
            Names.topic(topic);
        }
        return new DeadLetters.Filter(null, listener, topic, type, key, error);
    }
}

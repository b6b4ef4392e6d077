package io.postrider.cli.deadletters;

import io.postrider.admin.DeadLetters;
import io.postrider.cli.text.Names;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Options that filter dead letters. */
@Command
final class DeadLetterFilter {
    @Option(
            names = "--listener",
            paramLabel = "NAME",
            description = "Only dead letters of this listener; for jobs of the queue mail: queue:mail.")
    private @Nullable String listener;

    @Option(names = "--topic", paramLabel = "NAME", description = "Only events of this topic.")
    private @Nullable String topic;

    @Option(names = "--type", paramLabel = "TYPE", description = "Only events of this type.")
    private @Nullable String type;

    @Option(names = "--key", paramLabel = "KEY", description = "Only events with this key.")
    private @Nullable String key;

    @Option(names = "--error", paramLabel = "TEXT", description = "Only errors that contain this text.")
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

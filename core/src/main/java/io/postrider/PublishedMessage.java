package io.postrider;

import java.util.Map;

/**
 * A message that some publisher has written to the destination of a {@link Sink}.
 *
 * @param lane messages of one lane are in order, such as those of one partition; the same for all if all are in order
 * @param fields the headers, or the fields of an entry
 * @param body the content
 */
public record PublishedMessage(String lane, Map<String, String> fields, String body) {
    public PublishedMessage {
        fields = Map.copyOf(fields);
    }
}

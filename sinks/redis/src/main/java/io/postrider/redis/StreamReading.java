package io.postrider.redis;

import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.RedisException;
import io.lettuce.core.StreamMessage;
import io.postrider.PublishedMessage;
import io.postrider.PublishedQuery;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Reads a stream from a time on up to the end that it has when the reading begins. */
final class StreamReading {
    private static final int PAGE = 500;

    private StreamReading() {}

    /** Returns whether all entries since that time were read: not if the stream was trimmed, or there were too many. */
    static boolean read(RedisLink link, String stream, PublishedQuery query, Consumer<PublishedMessage> messages) {
        String type = link.ask(commands -> commands.type(stream));
        if (!type.equals("stream")) {
            throw new RedisException(
                    type.equals("none") ? "no redis stream " + stream : "key " + stream + " holds a " + type);
        }
        List<StreamMessage<String, String>> last =
                link.ask(commands -> commands.xrevrange(stream, Range.unbounded(), Limit.from(1)));
        if (last.isEmpty()) {
            return true;
        }
        String from = query.since().toEpochMilli() + "-0";
        Range.Boundary<String> end = Range.Boundary.including(last.get(0).getId());
        Range.Boundary<String> after = Range.Boundary.including(from);
        int count = 0;
        while (true) {
            Range<String> range = Range.from(after, end);
            List<StreamMessage<String, String>> page =
                    link.ask(commands -> commands.xrange(stream, range, Limit.from(PAGE)));
            for (StreamMessage<String, String> entry : page) {
                if (count == query.most()) {
                    return false;
                }
                messages.accept(message(entry.getBody()));
                count++;
            }
            if (page.size() < PAGE) {
                return !isTrimmedSince(link, stream, query);
            }
            after = Range.Boundary.excluding(page.get(page.size() - 1).getId());
        }
    }

    /** Whether entries since that time may be gone: the oldest one is younger, and the stream has lost some or cannot say. */
    private static boolean isTrimmedSince(RedisLink link, String stream, PublishedQuery query) {
        List<StreamMessage<String, String>> first =
                link.ask(commands -> commands.xrange(stream, Range.unbounded(), Limit.from(1)));
        long oldest = first.isEmpty()
                ? Long.MAX_VALUE
                : Long.parseLong(first.get(0).getId().replaceFirst("-.*", ""));
        List<Object> about = link.ask(commands -> commands.xinfoStream(stream));
        int length = about.indexOf("length");
        int added = about.indexOf("entries-added"); // since Redis 7
        boolean isComplete = length >= 0 && added >= 0 && about.get(length + 1).equals(about.get(added + 1));
        return oldest > query.since().toEpochMilli() && !isComplete;
    }

    /** The body is the only field, if there is just one; otherwise the fields say where things are. */
    private static PublishedMessage message(Map<String, String> fields) {
        String body = fields.size() == 1 ? fields.values().iterator().next() : "";
        return new PublishedMessage("", fields, body);
    }
}

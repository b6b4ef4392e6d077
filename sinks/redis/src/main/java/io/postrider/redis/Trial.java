package io.postrider.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.postrider.redis.RedisLink.Replies;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A command that is queued in a transaction and discarded. The server checks permission, memory and whether it accepts writes
 * when it queues a command, so this is the closest test without executing it.
 */
final class Trial {
    private Trial() {}

    /** Throws the server's error, if any. */
    static void run(RedisLink link, Function<RedisAsyncCommands<String, String>, RedisFuture<?>> command) {
        List<RedisFuture<?>> queued = new ArrayList<>();
        Replies<String> replies = link.send(commands -> {
            RedisFuture<String> begun = commands.multi();
            queued.add(command.apply(commands));
            return List.of(begun, commands.discard());
        });
        if (replies.error() != null) {
            throw new RedisException(replies.error().getMessage(), replies.error());
        }
        String error = queued.get(0).getError();
        if (error != null && !error.isEmpty()) {
            throw new RedisException(error);
        }
    }
}

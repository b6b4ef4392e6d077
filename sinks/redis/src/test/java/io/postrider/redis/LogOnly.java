package io.postrider.redis;

import io.postrider.admin.Log;
import io.postrider.gateway.History;
import io.postrider.gateway.Identity;
import io.postrider.gateway.Room;
import java.util.List;
import java.util.Set;

/** No read model: the ends of the log, and nothing in between. */
record LogOnly(Log log) implements History {
    @Override
    public Page page(Identity who, Set<Room> rooms, Stretch stretch) {
        return new Page(List.of(), stretch.upto());
    }

    @Override
    public long oldest(String topic) {
        return log.oldest(topic);
    }

    @Override
    public long reached(String topic) {
        return log.head(topic);
    }
}

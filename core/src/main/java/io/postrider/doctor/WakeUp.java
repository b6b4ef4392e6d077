package io.postrider.doctor;

import io.postrider.db.Line;
import io.postrider.db.Sql;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** Really listens, notifies and hears. On a channel of its own, so that no node is woken by it. */
final class WakeUp implements Check {
    private static final Sql NOTIFY = Sql.text("notify", "select pg_notify(:channel, :token)::text as told");
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    @Override
    public String name() {
        return "wake-up";
    }

    @Override
    public boolean needsSchema() {
        return false;
    }

    @Override
    public List<Finding> look(Examination examination) {
        try (Line line = Line.open(examination.direct(), examination.database())) {
            if (line.isPooled()) {
                return List.of(Finding.warn("not tried: LISTEN does not work through a pooler", "see pooler"));
            }
            String channel = examination.database().schema().text() + "_doctor";
            String token = UUID.randomUUID().toString();
            line.listen(channel);
            long began = System.nanoTime();
            examination
                    .session()
                    .query(NOTIFY, bind -> bind.text("channel", channel).text("token", token), row -> true);
            return List.of(hear(line, token, began));
        }
    }

    private static Finding hear(Line line, String token, long began) {
        while (true) {
            Duration left = PATIENCE.minusNanos(System.nanoTime() - began);
            if (left.isNegative() || left.isZero()) {
                return Finding.fail(
                        "a notification was not heard within " + PATIENCE.toSeconds() + " s",
                        "events wait for the poll, up to 1 s; look for a session that listens and stays in a transaction");
            }
            if (line.await(left).contains(token)) {
                return Finding.ok("a notification was heard after "
                        + Duration.ofNanos(System.nanoTime() - began).toMillis() + " ms");
            }
        }
    }
}

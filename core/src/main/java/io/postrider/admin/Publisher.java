package io.postrider.admin;

import io.postrider.PostriderException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a listener in shadow mode is compared with: the publisher that it is to replace. Immutable: each {@code with…} method returns
 * a changed copy. A malformed value is refused with a {@link PostriderException} that names the option.
 */
public sealed interface Publisher {
    /** A description for reports. */
    String describe();

    /** A publisher that marks the rows of its outbox table. */
    static Table table(String table) {
        return new Table(table, "id", "deleted", List.of(), null, null, "adopted_id");
    }

    /** Another listener of the same topic. If it is in shadow too, messages are compared; otherwise which events it has sent. */
    static OtherListener listener(String name) {
        return new OtherListener(name);
    }

    /** A publisher that writes to the destination of the relay's sink; the node that runs the relay reads it. */
    static Destination destination() {
        return new Destination(null, null, null, Duration.ofSeconds(10));
    }

    /**
     * An outbox table.
     *
     * @param table its name, with its schema if several schemas have a table of this name
     * @param id the column that has the event's id, or the value of the event's header {@code header}
     * @param published the column that shows that a row was published, or {@code deleted} if such rows are deleted
     * @param values the values of that column that mean published; empty: any value except null
     * @param order the column that has the order of publishing, such as {@code published_at}. Null: the order is not compared, and
     *     rows that are no events are not found
     * @param payload the column that has the payload; null: payloads are not compared
     * @param header the header of an event that may have the id of its row; the id of the event itself is tried first
     */
    record Table(
            String table,
            String id,
            String published,
            List<String> values,
            @Nullable String order,
            @Nullable String payload,
            String header)
            implements Publisher {
        private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_$]{0,62}");

        public Table {
            values = List.copyOf(values);
            String[] parts = table.split("\\.", -1);
            if (parts.length > 2) {
                throw PostriderException.refused("table must be NAME or SCHEMA.NAME, was '" + shown(table) + "'");
            }
            for (String part : parts) {
                unlessName("table", part);
            }
            unlessName("id column", id);
            unlessName("published column", published);
            if (order != null) {
                unlessName("order column", order);
            }
            if (payload != null) {
                unlessName("payload column", payload);
            }
            if (published.equals("deleted") && (order != null || payload != null)) {
                throw PostriderException.refused("order and payload need rows that are kept: a table whose published"
                        + " rows are deleted has neither; name the published column");
            }
        }

        private static void unlessName(String option, String value) {
            if (!NAME.matcher(value).matches()) {
                throw PostriderException.refused(
                        option + " must match " + NAME.pattern() + ", was '" + shown(value) + "'");
            }
        }

        private static String shown(String value) {
            String clean = value.replaceAll("\\p{Cntrl}", "?");
            return clean.length() <= 120 ? clean : clean.substring(0, 117) + "...";
        }

        @Override
        public String describe() {
            return "table " + table;
        }

        public Table withId(String column) {
            return new Table(table, column, published, values, order, payload, header);
        }

        /** Rows with one of these values in this column are published; without values, rows in which it is not null. */
        public Table withPublished(String column, String... of) {
            return new Table(table, id, column, List.of(of), order, payload, header);
        }

        /** As a setting has it: {@code COLUMN} (not null), {@code COLUMN=VALUE,VALUE} or {@code deleted}. */
        public Table withPublishedWhen(String condition) {
            int equals = condition.indexOf('=');
            return equals < 0
                    ? withPublished(condition)
                    : withPublished(
                            condition.substring(0, equals),
                            condition.substring(equals + 1).split(",", -1));
        }

        public Table withOrder(String column) {
            return new Table(table, id, published, values, column, payload, header);
        }

        public Table withPayload(String column) {
            return new Table(table, id, published, values, order, column, header);
        }

        public Table withHeader(String name) {
            return new Table(table, id, published, values, order, payload, name);
        }
    }

    /** Another listener of the same topic. */
    record OtherListener(String name) implements Publisher {
        @Override
        public String describe() {
            return "listener " + name;
        }
    }

    /**
     * The destination of the relay's sink, or another one on the same server.
     *
     * @param place its topic, stream or channel; null: the one that the relay sends to
     * @param id where a message has its id: {@code field:NAME} (a header, or a field of an entry) or {@code json:PATH} in the body;
     *     null: the usual places
     * @param payload the same for its payload, or {@code body}
     * @param listenFor how long to listen to a channel, which keeps no messages. 1 s..10 min, default 10 s
     */
    record Destination(
            @Nullable String place,
            @Nullable String id,
            @Nullable String payload,
            Duration listenFor) implements Publisher {
        public Destination {
            if (listenFor.compareTo(Duration.ofSeconds(1)) < 0 || listenFor.compareTo(Duration.ofMinutes(10)) > 0) {
                throw PostriderException.refused("listenFor must be PT1S..PT10M, was " + listenFor);
            }
            unlessPlace("id place", id);
            unlessPlace("payload place", payload);
            if (place != null && !place.matches("[!-~]{1,249}")) {
                throw PostriderException.refused("place must have 1 to 249 printable characters without spaces, was '"
                        + Table.shown(place) + "'");
            }
        }

        private static void unlessPlace(String option, @Nullable String value) {
            if (value != null && !value.equals("body") && !value.matches("(field|json):[^\\p{Cntrl}]{1,200}")) {
                throw PostriderException.refused(
                        option + " must be field:NAME, json:PATH or body, was '" + Table.shown(value) + "'");
            }
        }

        @Override
        public String describe() {
            return place == null ? "the destination of its sink" : place;
        }

        public Destination withPlace(String newPlace) {
            return new Destination(newPlace, id, payload, listenFor);
        }

        public Destination withId(String newId) {
            return new Destination(place, newId, payload, listenFor);
        }

        public Destination withPayload(String newPayload) {
            return new Destination(place, id, newPayload, listenFor);
        }

        public Destination withListenFor(Duration most) {
            return new Destination(place, id, payload, most);
        }
    }
}

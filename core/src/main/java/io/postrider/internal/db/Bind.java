package io.postrider.internal.db;

import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Sets the parameters of a statement by name. */
public final class Bind {
    private final PreparedStatement statement;
    private final List<String> parameters;

    Bind(PreparedStatement statement, List<String> parameters) {
        this.statement = statement;
        this.parameters = parameters;
    }

    public Bind text(String name, @Nullable String value) throws SQLException {
        return at(name, index -> statement.setString(index, value));
    }

    public Bind int4(String name, int value) throws SQLException {
        return at(name, index -> statement.setInt(index, value));
    }

    public Bind int8(String name, long value) throws SQLException {
        return at(name, index -> statement.setLong(index, value));
    }

    public Bind int8OrNull(String name, @Nullable Long value) throws SQLException {
        return at(name, index -> statement.setObject(index, value, Types.BIGINT));
    }

    public Bind bool(String name, boolean value) throws SQLException {
        return at(name, index -> statement.setBoolean(index, value));
    }

    public Bind uuid(String name, @Nullable UUID value) throws SQLException {
        return at(name, index -> statement.setObject(index, value, Types.OTHER));
    }

    public Bind instant(String name, @Nullable Instant value) throws SQLException {
        @Nullable OffsetDateTime time = value == null ? null : value.atOffset(ZoneOffset.UTC);
        return at(name, index -> statement.setObject(index, time, Types.TIMESTAMP_WITH_TIMEZONE));
    }

    /** Binds a duration in milliseconds; statements contain {@code :wait * interval '1 millisecond'}. */
    public Bind millis(String name, Duration value) throws SQLException {
        return int8(name, value.toMillis());
    }

    public Bind texts(String name, @Nullable Collection<? extends @Nullable String> values) throws SQLException {
        return array(name, "text", values == null ? null : values.toArray(new @Nullable String[0]));
    }

    public Bind uuids(String name, Collection<UUID> values) throws SQLException {
        return array(name, "uuid", values.toArray());
    }

    public Bind int8s(String name, Collection<Long> values) throws SQLException {
        return array(name, "int8", values.toArray(new Long[0]));
    }

    /**
     * Binds an array of the element's own class, which the driver sends in binary. It sends an {@code Object[]} as text, in which
     * {@code array_nulls = off} turns a missing key into the key 'NULL'.
     */
    private Bind array(String name, String type, @Nullable Object @Nullable [] values) throws SQLException {
        @Nullable
        Array array = values == null ? null : statement.getConnection().createArrayOf(type, values);
        return at(name, index -> {
            if (array == null) {
                statement.setNull(index, Types.ARRAY);
            } else {
                statement.setArray(index, array);
            }
        });
    }

    private Bind at(String name, Setter setter) throws SQLException {
        boolean set = false;
        for (int i = 0; i < parameters.size(); i++) {
            if (parameters.get(i).equals(name)) {
                setter.set(i + 1);
                set = true;
            }
        }
        if (!set) {
            throw new IllegalStateException("statement has no parameter :" + name + ", it has " + parameters);
        }
        return this;
    }

    /** Sets a parameter at an index. */
    private interface Setter {
        void set(int index) throws SQLException;
    }

    /** Binds nothing. */
    public static void nothing(Bind bind) {}

    /** A function that binds. */
    @FunctionalInterface
    public interface Values {
        void to(Bind bind) throws SQLException;
    }
}

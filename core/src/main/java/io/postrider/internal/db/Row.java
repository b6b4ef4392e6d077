package io.postrider.internal.db;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One row of a result, read by the names of its columns. */
public final class Row {
    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999Z");

    private final ResultSet result;

    Row(ResultSet result) {
        this.result = result;
    }

    public String text(String column) throws SQLException {
        return present(column, result.getString(column));
    }

    public @Nullable String textOrNull(String column) throws SQLException {
        return result.getString(column);
    }

    public int int4(String column) throws SQLException {
        return result.getInt(column);
    }

    public long int8(String column) throws SQLException {
        return result.getLong(column);
    }

    public @Nullable Long int8OrNull(String column) throws SQLException {
        long value = result.getLong(column);
        return result.wasNull() ? null : value;
    }

    public boolean bool(String column) throws SQLException {
        return result.getBoolean(column);
    }

    public UUID uuid(String column) throws SQLException {
        return present(column, result.getObject(column, UUID.class));
    }

    public Instant instant(String column) throws SQLException {
        return present(column, instantOrNull(column));
    }

    public @Nullable Instant instantOrNull(String column) throws SQLException {
        OffsetDateTime time = result.getObject(column, OffsetDateTime.class);
        return time == null ? null : within(time);
    }

    /** Infinity and far years become the nearest time that can be printed, compared and bound, so that one row does not stop a reader. */
    private static Instant within(OffsetDateTime time) {
        return time.getYear() < 1 ? EARLIEST : time.getYear() > 9999 ? LATEST : time.toInstant();
    }

    public List<String> texts(String column) throws SQLException {
        List<String> texts = new ArrayList<>();
        for (Object value : elements(column)) {
            texts.add((String) value);
        }
        return texts;
    }

    public List<Long> int8s(String column) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        for (Object value : elements(column)) {
            numbers.add((Long) value);
        }
        return numbers;
    }

    private Object[] elements(String column) throws SQLException {
        Array array = result.getArray(column);
        return array == null ? new Object[0] : (Object[]) array.getArray();
    }

    private static <T> T present(String column, @Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("column " + column + " is null");
        }
        return value;
    }

    /** A function that reads a row. */
    @FunctionalInterface
    public interface Reader<T> {
        public T read(Row row) throws SQLException;
    }
}

package io.postrider;

/** Converts between JSON payloads and objects, with a JSON library of your choice. Must be thread-safe. */
public interface PayloadMapper {
    /** Converts JSON text to an object. */
    <T> T read(String json, Class<T> type) throws Exception;

    /** Converts an object to JSON text. */
    String write(Object value) throws Exception;
}

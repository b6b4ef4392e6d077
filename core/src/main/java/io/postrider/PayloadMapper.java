package io.postrider;

/** Between a payload's JSON text and an object: the seam for a JSON library. Must be safe to share among threads. */
public interface PayloadMapper {
    /** The object that the JSON text stands for. */
    <T> T read(String json, Class<T> type) throws Exception;

    /** The JSON text for an object. */
    String write(Object value) throws Exception;
}

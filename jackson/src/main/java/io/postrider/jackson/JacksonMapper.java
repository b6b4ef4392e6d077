package io.postrider.jackson;

import io.postrider.PayloadMapper;
import tools.jackson.databind.json.JsonMapper;

/** Maps payloads to records with Jackson 3. Safe to share among threads. */
public final class JacksonMapper implements PayloadMapper {
    private final JsonMapper mapper;

    /** With Jackson's defaults: a property that the record does not have is ignored. */
    public JacksonMapper() {
        this(JsonMapper.builder().build());
    }

    /** With the application's own mapper. */
    public JacksonMapper(JsonMapper mapper) {
        this.mapper = mapper;
    }

    @Override
    public <T> T read(String json, Class<T> type) {
        return mapper.readValue(json, type);
    }

    @Override
    public String write(Object value) {
        return mapper.writeValueAsString(value);
    }
}

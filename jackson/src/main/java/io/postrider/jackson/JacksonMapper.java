package io.postrider.jackson;

import io.postrider.PayloadMapper;
import tools.jackson.databind.json.JsonMapper;

/** Payloads as records, by Jackson 3. Safe to share among threads. */
public final class JacksonMapper implements PayloadMapper {
    private final JsonMapper mapper;

    /** With Jackson's defaults: a property that the record does not know is passed over. */
    public JacksonMapper() {
        this(JsonMapper.builder().build());
    }

    /** With a mapper of the application's own. */
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

package io.postrider.server.openapi;

import java.util.LinkedHashMap;
import java.util.Map;

/** Maps that keep the order in which they are written, so that each start of the server makes the same document. */
final class Ordered {
    private Ordered() {}

    /** @param keysAndValues one after the other */
    static Map<String, Object> map(Object... keysAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put(String.valueOf(keysAndValues[i]), keysAndValues[i + 1]);
        }
        return map;
    }
}

package io.postrider.internal.listen;

import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * What a listener in shadow would have sent for a range of positions: a row of the table {@code shadow}.
 *
 * @param messages a hash of each message as it would be sent
 * @param payloads a hash of each payload
 * @param failures the positions at which a transactional handler failed, and why
 */
record ShadowRecord(
        List<Long> positions, List<UUID> events, List<Long> messages, List<Long> payloads, Map<Long, String> failures) {
    static final ShadowRecord NONE = new ShadowRecord(List.of(), List.of(), List.of(), List.of(), Map.of());
}

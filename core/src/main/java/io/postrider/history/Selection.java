package io.postrider.history;

import org.jspecify.annotations.Nullable;

/** Which events are asked for; what is not named is not looked at. Immutable: each {@code with…} gives a changed copy. */
public record Selection(
        @Nullable String topic,
        @Nullable String type,
        @Nullable String projectId,
        @Nullable String userId,
        @Nullable String aggregateType,
        @Nullable String aggregateId) {
    private static final Selection ALL = new Selection(null, null, null, null, null, null);

    /** Every event. */
    public static Selection all() {
        return ALL;
    }

    /** The events of a topic. */
    public static Selection topic(String topic) {
        return ALL.withTopic(topic);
    }

    public Selection withTopic(@Nullable String newTopic) {
        return new Selection(newTopic, type, projectId, userId, aggregateType, aggregateId);
    }

    public Selection withType(@Nullable String newType) {
        return new Selection(topic, newType, projectId, userId, aggregateType, aggregateId);
    }

    public Selection withProject(@Nullable String newProjectId) {
        return new Selection(topic, type, newProjectId, userId, aggregateType, aggregateId);
    }

    public Selection withUser(@Nullable String newUserId) {
        return new Selection(topic, type, projectId, newUserId, aggregateType, aggregateId);
    }

    /** One aggregate. */
    public Selection withAggregate(@Nullable String newType, @Nullable String newId) {
        return new Selection(topic, type, projectId, userId, newType, newId);
    }
}

package io.postrider.admin;

import org.jspecify.annotations.Nullable;

/** Which events to read or count; a null field is no condition. Immutable: each {@code with…} method returns a changed copy. */
public record EventFilter(
        @Nullable String topic,
        @Nullable String type,
        @Nullable String projectId,
        @Nullable String userId,
        @Nullable String aggregateType,
        @Nullable String aggregateId) {
    private static final EventFilter ALL = new EventFilter(null, null, null, null, null, null);

    /** Every event. */
    public static EventFilter all() {
        return ALL;
    }

    /** The events of a topic. */
    public static EventFilter topic(String topic) {
        return ALL.withTopic(topic);
    }

    /** Only events of this topic. */
    public EventFilter withTopic(@Nullable String newTopic) {
        return new EventFilter(newTopic, type, projectId, userId, aggregateType, aggregateId);
    }

    /** Only events of this type. */
    public EventFilter withType(@Nullable String newType) {
        return new EventFilter(topic, newType, projectId, userId, aggregateType, aggregateId);
    }

    /** Only events of this project. */
    public EventFilter withProject(@Nullable String newProjectId) {
        return new EventFilter(topic, type, newProjectId, userId, aggregateType, aggregateId);
    }

    /** Only events of this user. */
    public EventFilter withUser(@Nullable String newUserId) {
        return new EventFilter(topic, type, projectId, newUserId, aggregateType, aggregateId);
    }

    /** Only events of this aggregate. */
    public EventFilter withAggregate(@Nullable String newType, @Nullable String newId) {
        return new EventFilter(topic, type, projectId, userId, newType, newId);
    }
}

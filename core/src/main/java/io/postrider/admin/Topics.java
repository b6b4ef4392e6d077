package io.postrider.admin;

import java.util.List;

/** Sets which fields the events of a topic must have. Thread-safe. */
public interface Topics {
    /** The topics that require a field, by name. */
    List<Requirement> requirements();

    /**
     * Sets which fields events of a topic must have from now on, replacing an earlier requirement. An event without them is refused,
     * whether it is emitted with Java, SQL or HTTP or inserted directly. Existing events stay as they are.
     *
     * <p>Waits up to 10 s for a moment in which no open transaction has emitted an event.
     *
     * @throws io.postrider.PostriderException of kind CONFLICT if there is no such moment; nothing is changed
     */
    void require(Requirement requirement);

    /**
     * The fields that events of a topic must have. Immutable.
     *
     * @param projectId whether {@code project_id} is required
     * @param userId whether {@code user_id} is required
     */
    record Requirement(String topic, boolean projectId, boolean userId) {
        /** Requires nothing: {@link #require} removes an earlier requirement of this topic. */
        public static Requirement none(String topic) {
            return new Requirement(topic, false, false);
        }

        /** Also requires {@code project_id}. */
        public Requirement withProjectId() {
            return new Requirement(topic, true, userId);
        }

        /** Also requires {@code user_id}. */
        public Requirement withUserId() {
            return new Requirement(topic, projectId, true);
        }
    }
}

package io.postrider.doctor;

import java.util.List;

/** One thing that the doctor looks at. Without state; only reads. */
interface Check {
    /** As it stands at the beginning of the line. */
    String name();

    /** What it found: at least one finding. */
    List<Finding> look(Examination examination);

    /** Whether it looks at the schema's own tables: left out if they are not there. */
    default boolean needsSchema() {
        return true;
    }

    /** Whether every listener and queue depends on what it checks: if it cannot look, that is a failure. */
    default boolean isVital() {
        return false;
    }
}

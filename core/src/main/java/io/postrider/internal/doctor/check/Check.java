package io.postrider.internal.doctor.check;

import io.postrider.admin.Finding;
import java.util.List;

/** One check of the doctor. Stateless and read-only. */
public interface Check {
    /** The name at the beginning of the line. */
    String name();

    /** Returns at least one finding. */
    List<Finding> look(CheckContext examination);

    /** Whether it reads tables of the schema; such a check is skipped if the schema is not installed. */
    default boolean needsSchema() {
        return true;
    }

    /** Whether every listener and queue depends on it; if such a check cannot run, that is a failure. */
    default boolean isVital() {
        return false;
    }
}

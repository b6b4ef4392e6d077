/** Checks that events, listeners and the event log make progress. */
@NullMarked
package io.postrider.internal.doctor.progress;

import org.jspecify.annotations.NullMarked;

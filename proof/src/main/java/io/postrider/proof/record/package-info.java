/** Recorders that collect a history during a run. */
@NullMarked
package io.postrider.proof.record;

import org.jspecify.annotations.NullMarked;

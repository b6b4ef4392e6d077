/** A load that stresses the log and records its actions for the history checker. */
@NullMarked
package io.postrider.proof.load;

import org.jspecify.annotations.NullMarked;

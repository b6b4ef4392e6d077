/** A load that is hard on a log: what it did, told to the history checker. */
@NullMarked
package io.postrider.proof.load;

import org.jspecify.annotations.NullMarked;

/** Writes the outcome of jobs that were claimed. */
@NullMarked
package io.postrider.internal.settle;

import org.jspecify.annotations.NullMarked;

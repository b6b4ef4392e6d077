/** Hands over the jobs of workers that are gone. */
@NullMarked
package io.postrider.internal.takeover;

import org.jspecify.annotations.NullMarked;

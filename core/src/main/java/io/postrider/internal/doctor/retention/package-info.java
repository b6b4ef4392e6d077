/** Checks of segments and retention. */
@NullMarked
package io.postrider.internal.doctor.retention;

import org.jspecify.annotations.NullMarked;

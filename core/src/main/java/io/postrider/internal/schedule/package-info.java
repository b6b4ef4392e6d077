/** Jobs that are enqueued on a schedule. */
@NullMarked
package io.postrider.internal.schedule;

import org.jspecify.annotations.NullMarked;

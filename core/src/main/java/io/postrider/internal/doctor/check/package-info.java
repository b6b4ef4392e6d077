/** Shared by all checks: the interface, its context and its findings. */
@NullMarked
package io.postrider.internal.doctor.check;

import org.jspecify.annotations.NullMarked;

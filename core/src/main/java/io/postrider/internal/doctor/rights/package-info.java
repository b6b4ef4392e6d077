/** Checks of the privileges of the role. */
@NullMarked
package io.postrider.internal.doctor.rights;

import org.jspecify.annotations.NullMarked;

/** Checks of the schema and its functions. */
@NullMarked
package io.postrider.internal.doctor.schema;

import org.jspecify.annotations.NullMarked;

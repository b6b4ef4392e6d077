/** Verifies the guarantees from the database alone. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.internal.verify;

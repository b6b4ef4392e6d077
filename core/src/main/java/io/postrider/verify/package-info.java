/** Proves from the database alone that what was promised holds. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.verify;

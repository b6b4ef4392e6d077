/** Writes events and jobs inside the caller's transaction. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.internal.emit;

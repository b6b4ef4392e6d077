/** Segments: created in advance, closed, emptied, dropped. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.internal.retain;

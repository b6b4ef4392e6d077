/** Segments: made ahead, closed, emptied, dropped. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.retain;

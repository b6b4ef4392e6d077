/** Sends a relay's events to its sink, except those that have already arrived. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.internal.relay;

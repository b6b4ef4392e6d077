/** Relays that the settings define. */
@org.jspecify.annotations.NullMarked
package io.postrider.server.relay;

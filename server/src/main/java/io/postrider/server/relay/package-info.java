/** Relays that the settings name. */
@org.jspecify.annotations.NullMarked
package io.postrider.server.relay;

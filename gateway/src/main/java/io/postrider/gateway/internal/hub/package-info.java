/** The hub: delivery, catch-up and the state of each connection. Not API. */
@NullMarked
package io.postrider.gateway.internal.hub;

import org.jspecify.annotations.NullMarked;

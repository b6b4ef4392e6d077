/** Messages from clients, on their way to the application. Not API. */
@NullMarked
package io.postrider.gateway.internal.inbound;

import org.jspecify.annotations.NullMarked;

/** Limits on the number and the rate of connections. Not API. */
@NullMarked
package io.postrider.gateway.internal.limits;

import org.jspecify.annotations.NullMarked;

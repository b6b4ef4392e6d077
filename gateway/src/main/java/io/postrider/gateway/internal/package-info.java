/** Implementation of the gateway. Not API. */
@NullMarked
package io.postrider.gateway.internal;

import org.jspecify.annotations.NullMarked;

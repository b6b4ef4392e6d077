/** Keys that verify and sign tokens. Not API. */
@NullMarked
package io.postrider.gateway.internal.tokens;

import org.jspecify.annotations.NullMarked;

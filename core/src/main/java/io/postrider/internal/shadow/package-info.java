/** Shadow mode: hashes of messages, what another publisher has sent, and the comparison of both. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.internal.shadow;

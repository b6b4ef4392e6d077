/** Reads ranges of positions, and knows the heads of topics. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.internal.log;

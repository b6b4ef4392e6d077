/** Redis as a sink (channel and stream), as a feed of the gateway, and as an intake buffer for jobs. */
@org.jspecify.annotations.NullMarked
package io.postrider.redis;

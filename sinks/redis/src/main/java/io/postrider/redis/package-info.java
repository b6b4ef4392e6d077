/** Redis as a sink (channel and stream), as a feed of the gateway, and as a place where work waits to be taken in. */
@org.jspecify.annotations.NullMarked
package io.postrider.redis;

/** The one connection that a node keeps: it receives notifications and holds locks. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.internal.wake;

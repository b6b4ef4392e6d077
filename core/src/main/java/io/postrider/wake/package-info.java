/** The wire: the one connection of a node that hears notifications and holds locks. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.wake;

/** The event log: an indexed read model of past events. A listener fills it; reads and counts are limited to a reach. */
@org.jspecify.annotations.NullMarked
package io.postrider.internal.history;

/** Calls the hooks for metrics and traces safely. */
@org.jspecify.annotations.NullMarked
package io.postrider.internal.watch;

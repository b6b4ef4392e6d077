/** Reports what a node does: to the hooks for metrics and traces, and in log lines about single events and jobs. */
@org.jspecify.annotations.NullMarked
package io.postrider.internal.watch;

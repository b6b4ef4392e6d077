/** What metrics and traces hook into: one interface of empty methods. */
@org.jspecify.annotations.NullMarked
package io.postrider.watch;

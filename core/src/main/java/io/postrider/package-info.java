/**
 * The API for applications: emit an event or enqueue a job in your own transaction, listen to a topic, work on a queue.
 * {@link io.postrider.Postrider} is the entry point.
 *
 * <p>This package and {@link io.postrider.admin} are the whole public API and follow semantic versioning: a minor release adds,
 * only a major release removes or changes. Interfaces that the library implements itself may get new methods in a minor release.
 * Packages below {@code io.postrider.internal} are not API, even where their types are public.
 */
@org.jspecify.annotations.NullMarked
package io.postrider;

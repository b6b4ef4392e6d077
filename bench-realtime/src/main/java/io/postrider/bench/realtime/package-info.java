/**
 * {@code bench realtime}: from commit to the screen beside a bare Redis with a fan-out of Server-Sent Events, and from the log to
 * Kafka beside a bare producer. Nothing here is API.
 */
@org.jspecify.annotations.NullMarked
package io.postrider.bench.realtime;

/**
 * {@code bench realtime}: from commit to browser compared with a bare Redis and a fan-out over Server-Sent Events, and from the
 * log to Kafka compared with a bare producer. Nothing here is API.
 */
@org.jspecify.annotations.NullMarked
package io.postrider.bench.realtime;

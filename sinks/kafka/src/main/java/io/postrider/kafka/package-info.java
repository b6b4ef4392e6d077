/** The Kafka sink of a relay: its records, the search for records that were already delivered, and the client options. */
@org.jspecify.annotations.NullMarked
package io.postrider.kafka;

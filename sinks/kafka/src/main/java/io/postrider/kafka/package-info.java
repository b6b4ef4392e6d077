/** A relay's sink in Kafka: what is sent, how it is known to be there, and what clients may be told. */
@org.jspecify.annotations.NullMarked
package io.postrider.kafka;

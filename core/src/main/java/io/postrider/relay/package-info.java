/** From a listener to a sink outside the database: what is sent, and what is there already. Not an API. */
@org.jspecify.annotations.NullMarked
package io.postrider.relay;

/**
 * The whole public API. Emit an event in your own transaction; listen to a topic in one order.
 *
 * <p>Packages below this one are rooms of the house: public to each other, promised to nobody.
 */
@org.jspecify.annotations.NullMarked
package io.postrider;

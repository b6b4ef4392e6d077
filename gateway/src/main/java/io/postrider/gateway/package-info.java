/**
 * From the log to browsers: who may hear what, the hub that hands each event to those who may, and how somebody who was away
 * goes on where they left. No framework; the package {@code jakarta} puts it on servlets and WebSocket.
 */
@org.jspecify.annotations.NullMarked
package io.postrider.gateway;

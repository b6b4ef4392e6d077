/**
 * Streams the log to browsers: authentication, delivery of each event to the rooms of a connection, and resuming at the last
 * position. Independent of frameworks; the package {@code jakarta} has servlets for Server-Sent Events and WebSocket.
 */
@org.jspecify.annotations.NullMarked
package io.postrider.gateway;

/** The gateway on Jakarta Servlet (Server-Sent Events) and Jakarta WebSocket. */
@org.jspecify.annotations.NullMarked
package io.postrider.gateway.jakarta;

/** Servlets and filters: HTTP only, without any decision of the API. */
@org.jspecify.annotations.NullMarked
package io.postrider.server.http;

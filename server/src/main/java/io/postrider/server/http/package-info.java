/** HTTP: servlets and filters, and nothing that the API decides. */
@org.jspecify.annotations.NullMarked
package io.postrider.server.http;

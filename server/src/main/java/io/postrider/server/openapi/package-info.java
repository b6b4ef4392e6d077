/** Describes routes, and the schemas of all bodies. {@code /v1/openapi.json} is built from these descriptions. */
@org.jspecify.annotations.NullMarked
package io.postrider.server.openapi;

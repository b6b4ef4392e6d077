/** The HTTP API without HTTP: routes, what each needs, and what it does. Knows no framework. */
@org.jspecify.annotations.NullMarked
package io.postrider.server.api;

/** The HTTP API without HTTP: its routes, the token that each requires, and their code. Independent of any framework. */
@org.jspecify.annotations.NullMarked
package io.postrider.server.api;

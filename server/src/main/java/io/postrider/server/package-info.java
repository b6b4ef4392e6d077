/** The server: a Spring Boot application on top of the starter, in any combination of three roles. */
@org.jspecify.annotations.NullMarked
package io.postrider.server;

/** Postrider in a Spring Boot application. */
@org.jspecify.annotations.NullMarked
package io.postrider.spring;

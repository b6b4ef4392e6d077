/** Payloads as records, by Jackson 3. */
@org.jspecify.annotations.NullMarked
package io.postrider.jackson;

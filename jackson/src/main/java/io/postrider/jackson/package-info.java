/** Maps payloads to records with Jackson 3. */
@org.jspecify.annotations.NullMarked
package io.postrider.jackson;

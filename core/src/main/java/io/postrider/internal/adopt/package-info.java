/** Adoption: takes over an existing outbox or job table while its writers go on. */
@org.jspecify.annotations.NullMarked
package io.postrider.internal.adopt;

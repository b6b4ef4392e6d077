/** Access control: reads within a reach, and revoked tokens. */
@org.jspecify.annotations.NullMarked
package io.postrider.internal.access;

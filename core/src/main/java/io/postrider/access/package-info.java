/** Who may see what: reads within a reach, and tokens that are not to be believed any more. */
@org.jspecify.annotations.NullMarked
package io.postrider.access;

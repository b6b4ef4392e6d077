/**
 * A real, durable PostgreSQL out of a jar: for trying things, for demos and for tests. Nothing to install, no container,
 * works as root and as anybody.
 */
@NullMarked
package io.postrider.embedded;

import org.jspecify.annotations.NullMarked;

/** The scenarios of {@code bench alternatives}: the known ways to read an outbox, on the same load. */
@NullMarked
package io.postrider.bench.alternatives;

import org.jspecify.annotations.NullMarked;

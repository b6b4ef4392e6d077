/** Producers and the systems that are compared. */
@NullMarked
package io.postrider.bench.load;

import org.jspecify.annotations.NullMarked;

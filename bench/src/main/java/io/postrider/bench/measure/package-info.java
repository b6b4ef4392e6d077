/** Clocks, counters and samples. */
@NullMarked
package io.postrider.bench.measure;

import org.jspecify.annotations.NullMarked;

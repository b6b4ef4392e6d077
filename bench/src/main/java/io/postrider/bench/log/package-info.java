/** The scenarios of {@code bench log}. */
@NullMarked
package io.postrider.bench.log;

import org.jspecify.annotations.NullMarked;

/** The scenarios of {@code bench jobs}. */
@NullMarked
package io.postrider.bench.jobs;

import org.jspecify.annotations.NullMarked;

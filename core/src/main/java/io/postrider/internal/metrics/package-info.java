/** Figures of the database for metrics. Implements {@code admin.Gauges}. */
@NullMarked
package io.postrider.internal.metrics;

import org.jspecify.annotations.NullMarked;

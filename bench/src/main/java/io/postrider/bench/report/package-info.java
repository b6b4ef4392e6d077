/** The report of a run: figures, goals, and their text and JSON form. */
@NullMarked
package io.postrider.bench.report;

import org.jspecify.annotations.NullMarked;

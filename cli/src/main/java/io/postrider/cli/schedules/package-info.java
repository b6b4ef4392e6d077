/** The commands below {@code postrider schedules}. */
@NullMarked
package io.postrider.cli.schedules;

import org.jspecify.annotations.NullMarked;

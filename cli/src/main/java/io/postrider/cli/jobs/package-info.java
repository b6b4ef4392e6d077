/** The commands below {@code postrider jobs}. */
@NullMarked
package io.postrider.cli.jobs;

import org.jspecify.annotations.NullMarked;

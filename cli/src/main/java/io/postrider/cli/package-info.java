/** The command line: one class per command. */
@NullMarked
package io.postrider.cli;

import org.jspecify.annotations.NullMarked;

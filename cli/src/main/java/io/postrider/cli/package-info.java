/** The command line: one class a command. */
@NullMarked
package io.postrider.cli;

import org.jspecify.annotations.NullMarked;

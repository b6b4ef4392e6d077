/** Standard streams, exit codes, confirmation prompts and the options that all commands share. */
@NullMarked
package io.postrider.cli.terminal;

import org.jspecify.annotations.NullMarked;

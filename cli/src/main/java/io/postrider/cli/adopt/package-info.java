/** The commands below {@code postrider adopt}. */
@NullMarked
package io.postrider.cli.adopt;

import org.jspecify.annotations.NullMarked;

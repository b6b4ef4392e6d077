/** The commands below {@code postrider relays}. */
@NullMarked
package io.postrider.cli.relays;

import org.jspecify.annotations.NullMarked;

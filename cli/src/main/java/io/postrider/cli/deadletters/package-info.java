/** The commands below {@code postrider dead-letters}. */
@NullMarked
package io.postrider.cli.deadletters;

import org.jspecify.annotations.NullMarked;

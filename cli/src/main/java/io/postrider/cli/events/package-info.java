/** The commands that write events and read topics: {@code emit} and {@code tail}. */
@NullMarked
package io.postrider.cli.events;

import org.jspecify.annotations.NullMarked;

/** Reading along a topic. */
@NullMarked
package io.postrider.cli.tail;

import org.jspecify.annotations.NullMarked;

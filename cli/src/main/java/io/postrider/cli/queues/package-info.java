/** The commands below {@code postrider queues}. */
@NullMarked
package io.postrider.cli.queues;

import org.jspecify.annotations.NullMarked;

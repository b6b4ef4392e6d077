/** Commands for topics. */
@NullMarked
package io.postrider.cli.topics;

import org.jspecify.annotations.NullMarked;

/** Connects the other packages: implements {@code Postrider} and starts and stops everything that a node runs. */
@NullMarked
package io.postrider.internal.node;

import org.jspecify.annotations.NullMarked;

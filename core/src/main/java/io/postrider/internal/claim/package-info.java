/** Claims jobs by ranges of positions, and keeps track of what this node has claimed. */
@NullMarked
package io.postrider.internal.claim;

import org.jspecify.annotations.NullMarked;

/** Jobs: claimed by ranges, done, settled together; taken over from a worker that is gone. */
@NullMarked
package io.postrider.work;

import org.jspecify.annotations.NullMarked;

/** Child processes, and the consumers that run in them. */
@NullMarked
package io.postrider.bench.process;

import org.jspecify.annotations.NullMarked;

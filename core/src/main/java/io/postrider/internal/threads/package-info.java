/** What threads need: executors for handlers, a signal to wake a thread, deadlines. */
@NullMarked
package io.postrider.internal.threads;

import org.jspecify.annotations.NullMarked;

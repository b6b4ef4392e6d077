/** Listeners: cursor, delivery, setback, dead letter. Begin to read at {@link io.postrider.internal.listen.ListenerRun}. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.internal.listen;

package io.postrider.internal.listen;

import io.postrider.LogEvent;
import java.util.List;

/** Calls the handler of a listener for some events in order, and settles them. */
interface HandlerInvoker {
    HandlingResult handle(List<LogEvent> events, Settlement settlement) throws InterruptedException;
}

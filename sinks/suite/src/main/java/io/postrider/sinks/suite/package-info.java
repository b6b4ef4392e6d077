/** The contract of every sink, as a test suite to extend. For authors of sinks; Postrider's own sinks pass it too. */
@org.jspecify.annotations.NullMarked
package io.postrider.sinks.suite;

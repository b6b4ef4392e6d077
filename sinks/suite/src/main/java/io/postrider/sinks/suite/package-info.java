/** What every sink must hold, as tests to inherit. For those who write one; its own sinks pass it too. */
@org.jspecify.annotations.NullMarked
package io.postrider.sinks.suite;

/** The event log: what was, indexed. Filled by a listener, read within a reach, counted. */
@org.jspecify.annotations.NullMarked
package io.postrider.history;

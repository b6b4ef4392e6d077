/** The format of log lines. */
@org.jspecify.annotations.NullMarked
package io.postrider.server.log;

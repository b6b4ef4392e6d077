/** How log lines come out. */
@org.jspecify.annotations.NullMarked
package io.postrider.server.log;

/** The commands that need the server on the class path: {@code serve} and {@code token}. */
@NullMarked
package io.postrider.cli.server;

import org.jspecify.annotations.NullMarked;

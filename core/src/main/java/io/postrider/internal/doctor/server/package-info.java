/** Checks of the server, its settings and the connection to it. */
@NullMarked
package io.postrider.internal.doctor.server;

import org.jspecify.annotations.NullMarked;

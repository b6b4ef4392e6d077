/** The commands that show, pause, resume and reset listeners. */
@NullMarked
package io.postrider.cli.listeners;

import org.jspecify.annotations.NullMarked;

/** The demo: a database, producers, listeners, workers, and a screen that shows them at work. */
@NullMarked
package io.postrider.cli.demo;

import org.jspecify.annotations.NullMarked;

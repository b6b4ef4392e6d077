/** The commands that set up and check the database, and the options that select it. */
@NullMarked
package io.postrider.cli.database;

import org.jspecify.annotations.NullMarked;

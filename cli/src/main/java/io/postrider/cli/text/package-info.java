/** What is written and read: JSON, colours, tables, suggestions. Knows nothing of databases. */
@NullMarked
package io.postrider.cli.text;

import org.jspecify.annotations.NullMarked;

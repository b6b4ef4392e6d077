/** Reading and writing text: JSON, colours, tables. Independent of databases. */
@NullMarked
package io.postrider.cli.text;

import org.jspecify.annotations.NullMarked;

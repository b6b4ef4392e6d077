/** From a URL or the environment to a data source. */
@NullMarked
package io.postrider.cli.connect;

import org.jspecify.annotations.NullMarked;

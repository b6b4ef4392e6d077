/** The PostgreSQL server and the databases of a run. */
@NullMarked
package io.postrider.bench.database;

import org.jspecify.annotations.NullMarked;

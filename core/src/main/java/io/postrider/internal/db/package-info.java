/** The only access to the database: JDBC, statements, sessions and transactions. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.internal.db;

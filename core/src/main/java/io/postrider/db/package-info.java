/** The one door to the database. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.db;

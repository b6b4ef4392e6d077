/** Installs, migrates and checks the schema. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.internal.schema;

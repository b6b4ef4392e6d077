/** Install, migrate, verify. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.schema;

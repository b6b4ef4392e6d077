/** Read a range of positions; know the heads. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.log;

/** Cursor, delivery, setback, dead letter: how a listener rides along the log. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.listen;

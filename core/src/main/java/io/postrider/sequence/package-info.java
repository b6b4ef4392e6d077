/** One pass: committed events get their positions; who passes, and when it sleeps. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.sequence;

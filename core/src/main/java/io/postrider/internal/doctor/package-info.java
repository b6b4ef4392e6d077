/** Checks a database and reports problems, their cause and how to fix them. Not API. */
@org.jspecify.annotations.NullMarked
package io.postrider.internal.doctor;

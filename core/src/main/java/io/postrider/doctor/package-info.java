/** Looks at a database and says what is wrong with it, who is to blame and what to do. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.doctor;

/** The rules that a history must satisfy. */
@NullMarked
package io.postrider.proof.check;

import org.jspecify.annotations.NullMarked;

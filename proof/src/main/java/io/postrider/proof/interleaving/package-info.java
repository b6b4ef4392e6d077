/** Runs the steps of several sessions in every possible order. */
@NullMarked
package io.postrider.proof.interleaving;

import org.jspecify.annotations.NullMarked;

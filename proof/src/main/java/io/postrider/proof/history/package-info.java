/** The history of a run: transactions, logs and what listeners handled. */
@NullMarked
package io.postrider.proof.history;

import org.jspecify.annotations.NullMarked;

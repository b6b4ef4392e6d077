/**
 * The proof: records what a run really did and checks it against the guarantees.
 *
 * <p>A load generator reports its actions to a {@link io.postrider.proof.record.HistoryRecorder}. The
 * {@link io.postrider.proof.check.HistoryChecker} checks the resulting {@link io.postrider.proof.history.History}; it is independent of
 * PostgreSQL and shares no code with the library. {@link io.postrider.proof.interleaving.Schedules} and
 * {@link io.postrider.proof.interleaving.Interleaving} run a few sessions in every possible order of their steps.
 */
@NullMarked
package io.postrider.proof;

import org.jspecify.annotations.NullMarked;

/**
 * The proof: what a run really did, and whether that keeps the guarantees.
 *
 * <p>A load generator tells a {@link io.postrider.proof.HistoryRecorder} what it does; the {@link
 * io.postrider.proof.History} that comes out is judged by the {@link io.postrider.proof.HistoryChecker}, which knows
 * nothing of PostgreSQL and shares no code with the library. {@link io.postrider.proof.Schedules} and {@link
 * io.postrider.proof.Interleaving} drive a handful of sessions through every order in which their steps can happen.
 */
@NullMarked
package io.postrider.proof;

import org.jspecify.annotations.NullMarked;

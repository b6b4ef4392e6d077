/**
 * Measures Postrider side by side with what one would write without it, in one run on one machine: {@code bench log} and {@code
 * bench jobs}; {@code bench realtime} is a {@link io.postrider.bench.Suite} of another module, for which some of this is public.
 *
 * <p>What is compared takes turns, round by round and in alternating order, and the ratio is the median of the rounds' own
 * ratios: a machine that slows down slows both. Nothing here is API but {@link io.postrider.bench.BenchCommand}.
 */
@org.jspecify.annotations.NullMarked
package io.postrider.bench;

/**
 * Compares Postrider with the code that one would write without it, in one run on one machine: {@code bench log} and
 * {@code bench jobs}; {@code bench realtime} is a {@link io.postrider.bench.Suite} of another module, for which some of this is
 * public.
 *
 * <p>The variants take turns, round by round and in alternating order, and the ratio is the median of the rounds' own ratios,
 * because a machine that slows down slows both. Nothing here is API except {@link io.postrider.bench.BenchCommand}.
 */
@org.jspecify.annotations.NullMarked
package io.postrider.bench;

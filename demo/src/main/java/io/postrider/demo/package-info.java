/**
 * The whole system on one machine, for {@code postrider demo}: this process serves the API, the gateway and the pages of the live
 * chat; two more processes are the workers and may be killed.
 */
@org.jspecify.annotations.NullMarked
package io.postrider.demo;

/** Fault tests: nodes to kill, the load meanwhile, and the checks afterwards. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.proof.faults;

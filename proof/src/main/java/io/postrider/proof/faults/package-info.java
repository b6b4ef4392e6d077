/** The faults: nodes to kill, load to kill them under, and what must hold afterwards. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.proof.faults;

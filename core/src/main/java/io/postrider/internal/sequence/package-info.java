/** The sequencer: gives committed events their positions, pass by pass, and sleeps in between. Nothing here is API. */
@org.jspecify.annotations.NullMarked
package io.postrider.internal.sequence;

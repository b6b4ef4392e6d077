/** Frames to and from clients. Not API. */
@NullMarked
package io.postrider.gateway.internal.frames;

import org.jspecify.annotations.NullMarked;

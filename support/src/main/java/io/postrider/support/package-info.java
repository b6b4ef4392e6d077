/**
 * Shared by the command line, the server and the benchmarks: database URLs, suggestions for typos, and the interfaces by which the
 * command line finds the others. Not API.
 */
@NullMarked
package io.postrider.support;

import org.jspecify.annotations.NullMarked;

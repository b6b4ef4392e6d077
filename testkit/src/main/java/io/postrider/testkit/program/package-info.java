/**
 * Real programs beside the database, for tests of what talks to them. Whoever uses one brings its library: {@link
 * io.postrider.testkit.program.Chromium} needs Selenium, {@link io.postrider.testkit.program.RedisProcess} needs embedded-redis.
 */
@NullMarked
package io.postrider.testkit.program;

import org.jspecify.annotations.NullMarked;

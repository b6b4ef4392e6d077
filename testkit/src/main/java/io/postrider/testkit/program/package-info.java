/**
 * Real programs beside the database, for tests of the code that uses them. Each needs its library on the class path:
 * {@link io.postrider.testkit.program.Chromium} needs Selenium, {@link io.postrider.testkit.program.RedisProcess} needs
 * embedded-redis.
 */
@NullMarked
package io.postrider.testkit.program;

import org.jspecify.annotations.NullMarked;

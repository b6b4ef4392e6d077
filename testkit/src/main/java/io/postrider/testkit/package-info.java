/**
 * Tools for tests of code on PostgreSQL that mocks cannot replace: a real database for each test in tens of milliseconds, a
 * network that breaks on request, JVMs to kill and to freeze, and waiting without sleeping.
 */
@NullMarked
package io.postrider.testkit;

import org.jspecify.annotations.NullMarked;

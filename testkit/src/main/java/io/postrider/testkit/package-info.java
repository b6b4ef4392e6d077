/**
 * What tests of code on PostgreSQL need and mocks cannot give: a real database for each test in tens of milliseconds, a
 * network that breaks on request, JVMs to kill and to freeze, and waiting without sleeping.
 */
@NullMarked
package io.postrider.testkit;

import org.jspecify.annotations.NullMarked;

/**
 * For tests of code that uses Wellkeeper: {@link io.wellkeeper.testkit.InMemoryLocks} gives each test locks in memory.
 * They are kept in an {@link io.wellkeeper.testkit.InMemoryServer}, which runs under real or
 * {@linkplain io.wellkeeper.testkit.SimulatedTime simulated} time.
 */
@NullMarked
package io.wellkeeper.testkit;

import org.jspecify.annotations.NullMarked;

/**
 * For tests of code that uses Wellkeeper: {@link io.wellkeeper.testkit.InMemoryLocks} gives each test locks in memory, and
 * {@link io.wellkeeper.testkit.InMemoryServer} with its stores is what these locks are kept in, under real or
 * {@linkplain io.wellkeeper.testkit.SimulatedTime simulated} time.
 */
@NullMarked
package io.wellkeeper.testkit;

import org.jspecify.annotations.NullMarked;

/**
 * For tests: {@link io.wellkeeper.testkit.InMemoryServer} with its stores, {@link io.wellkeeper.testkit.SimulatedTime},
 * {@link io.wellkeeper.testkit.NoLeftovers}, and the contracts that every store and every lock keeps, as abstract test
 * classes.
 */
@NullMarked
package io.wellkeeper.testkit;

import org.jspecify.annotations.NullMarked;

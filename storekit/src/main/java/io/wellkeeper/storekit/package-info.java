/**
 * For the authors of stores: the contracts that each store and each lock must keep, as abstract test classes;
 * {@link io.wellkeeper.storekit.NoLeftovers}; and {@link io.wellkeeper.storekit.JavaProcess}, a JVM that tests can kill
 * and pause.
 */
@NullMarked
package io.wellkeeper.storekit;

import org.jspecify.annotations.NullMarked;

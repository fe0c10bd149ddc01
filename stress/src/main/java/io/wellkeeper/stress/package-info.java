/**
 * Stress tests under jcstress: races of real threads of one process at one local gate. Each test is a little world of
 * its own, over a store that answers at once on the calling thread, so that each step is made by an actor.
 */
@NullMarked
package io.wellkeeper.stress;

import org.jspecify.annotations.NullMarked;

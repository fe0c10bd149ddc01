/**
 * Stress tests under jcstress: what real threads of one process do to each other before one gate. Each test is a little
 * world of its own, over a store that answers at once in the calling thread, so that every move is made by an actor.
 */
@NullMarked
package io.wellkeeper.stress;

import org.jspecify.annotations.NullMarked;

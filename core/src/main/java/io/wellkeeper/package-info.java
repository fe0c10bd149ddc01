/**
 * Distributed locks: what a program uses. Start at {@link io.wellkeeper.LockClient}.
 */
@NullMarked
package io.wellkeeper;

import org.jspecify.annotations.NullMarked;

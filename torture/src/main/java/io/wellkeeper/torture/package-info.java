/**
 * Torture: worker processes use locks ({@link io.wellkeeper.torture.Worker}) while holders are killed, stopped or cut
 * off ({@link io.wellkeeper.torture.Torture}). All processes write histories of what they do and see ({@link
 * io.wellkeeper.torture.History}). Afterwards a checker says whether the locks have kept their promises ({@link
 * io.wellkeeper.torture.Checker}).
 */
@NullMarked
package io.wellkeeper.torture;

import org.jspecify.annotations.NullMarked;

/**
 * Torture: worker processes use locks ({@link io.wellkeeper.torture.Worker}) while whoever is inside is killed, stopped or
 * cut off ({@link io.wellkeeper.torture.Torture}); all write down what they do and see ({@link
 * io.wellkeeper.torture.History}), and a checker says afterwards whether the locks kept what they promise ({@link
 * io.wellkeeper.torture.Checker}).
 */
@NullMarked
package io.wellkeeper.torture;

import org.jspecify.annotations.NullMarked;

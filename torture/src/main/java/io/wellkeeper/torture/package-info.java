/**
 * What processes that use locks under faults write down ({@link io.wellkeeper.torture.History}), and a checker that says
 * afterwards whether the locks kept what they promise ({@link io.wellkeeper.torture.Checker}).
 */
@NullMarked
package io.wellkeeper.torture;

import org.jspecify.annotations.NullMarked;

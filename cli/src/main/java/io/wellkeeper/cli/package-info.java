/** The command-line tool: runs commands under a lock, shows who holds and who waits, and demonstrates what locks do. */
@NullMarked
package io.wellkeeper.cli;

import org.jspecify.annotations.NullMarked;

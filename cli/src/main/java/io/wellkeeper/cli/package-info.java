/** The command-line tool: runs commands under a lock, shows holders and waiters, and demonstrates what locks do. */
@NullMarked
package io.wellkeeper.cli;

import org.jspecify.annotations.NullMarked;

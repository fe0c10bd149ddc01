/** One command under one lock: its process group, the signals passed on to it, and its end when the lock is lost. */
@NullMarked
package io.wellkeeper.cli.run;

import org.jspecify.annotations.NullMarked;

/** A demonstration with real processes: what goes wrong without a lock, and what a lock and its token prevent. */
@NullMarked
package io.wellkeeper.cli.demo;

import org.jspecify.annotations.NullMarked;

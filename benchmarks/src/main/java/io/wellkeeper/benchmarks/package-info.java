/** Runs Wellkeeper and its peers side by side on the same servers, and writes the results. */
@NullMarked
package io.wellkeeper.benchmarks;

import org.jspecify.annotations.NullMarked;

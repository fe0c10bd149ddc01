/** Runs Wellkeeper and Curator side by side on the same servers, and writes down what came out. */
@NullMarked
package io.wellkeeper.benchmarks;

import org.jspecify.annotations.NullMarked;

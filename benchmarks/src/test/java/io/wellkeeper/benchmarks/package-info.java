@NullMarked
package io.wellkeeper.benchmarks;

import org.jspecify.annotations.NullMarked;

/** Metrics and traces of Wellkeeper's locks, by Micrometer. */
@NullMarked
package io.wellkeeper.micrometer;

import org.jspecify.annotations.NullMarked;

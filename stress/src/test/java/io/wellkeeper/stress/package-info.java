/** The stress tests, shortly; and that they notice what is wrong. */
@NullMarked
package io.wellkeeper.stress;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.wellkeeper.testkit.process;

import org.jspecify.annotations.NullMarked;

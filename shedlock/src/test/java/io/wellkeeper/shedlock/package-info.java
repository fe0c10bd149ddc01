/** ShedLock over Wellkeeper's locks. */
@NullMarked
package io.wellkeeper.shedlock;

import org.jspecify.annotations.NullMarked;

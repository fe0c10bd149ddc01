/** How it works. Nobody outside this module can see it, so that it may change with every release. */
@NullMarked
package io.wellkeeper.internal;

import org.jspecify.annotations.NullMarked;

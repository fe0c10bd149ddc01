@NullMarked
package io.wellkeeper.redis;

import org.jspecify.annotations.NullMarked;

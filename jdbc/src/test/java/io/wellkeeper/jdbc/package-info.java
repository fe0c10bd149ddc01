@NullMarked
package io.wellkeeper.jdbc;

import org.jspecify.annotations.NullMarked;
